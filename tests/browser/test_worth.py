"""What a head is worth: dropped in turn, and by what it adds to the logit."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, box
from tests.browser.test_installed import ECHO


def asked(explore: Explore, part: str, **query: int | str) -> dict[str, Any]:
    trace = explore.answer(explore.question())["trace"]
    address = f"{explore.url}/api/v1/traces/{trace}/{part}"
    found: dict[str, Any] = explore.page.request.get(address, params={**query}).json()
    return found


def figure(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def open_worth(explore: Explore, more: str = "") -> None:
    explore.page.goto(f"{explore.url}{ECHO}&tab=worth{more}")
    expect(explore.page.locator("#panel-worth table")).to_be_visible()


def test_every_head_is_dropped_in_turn_and_the_selected_one_told(window: Explore) -> None:
    open_worth(window)
    told = asked(window, "ablations")
    panel = window.page.locator("#panel-worth")
    changes = [each["change"] for layer in told["heads"] for each in layer]
    rows = panel.locator(".in-turn button")
    expect(rows).to_have_count(len(changes))
    for row, change in zip(rows.all(), changes, strict=True):
        expect(row.locator(".number")).to_have_text(("+" if change > 0 else "") + figure(change))
    widths = [box(row.locator(".bar"))["width"] for row in rows.all()]
    longest = max(range(len(changes)), key=lambda at: abs(changes[at]))
    assert widths[longest] == max(widths)
    rows.nth(longest).click()
    layer, head = divmod(longest, len(told["heads"][0]))
    address_has(window.page, f"head={head}" if head else f"layer={layer}")
    expect(panel.locator(".selected")).to_contain_text(f"Without layer {layer}, head {head}")
    panel.get_by_role("button", name="Drop it").click()
    address_has(window.page, f"drop={layer}.{head}")
    expect(panel.locator(".selected")).to_contain_text("is dropped")
    expect(window.page.locator("#predictions")).to_contain_text("before and now")


def test_the_parts_sum_to_the_logit_each_from_where_the_last_ended(window: Explore) -> None:
    open_worth(window, "&after=3")
    told = asked(window, "contributions", position=3)
    panel = window.page.locator("#panel-worth")
    expect(panel.locator(".sum .number")).to_have_text(f"= {figure(told['logit'])}")
    numbers = panel.locator("tbody tr:not(.sum) .number").all_inner_texts()
    values = [float(text.replace("−", "-")) for text in numbers]
    assert abs(sum(values) - told["logit"]) < 0.005 * (len(values) + 1)
    bars = [box(bar) for bar in panel.locator("tbody tr:not(.sum) .bar").all()]
    for value, bar, after, following in zip(values, bars, bars[1:], values[1:], strict=False):
        end = bar["x"] + (bar["width"] if value > 0 else 0)
        begin = after["x"] + (0 if following > 0 else after["width"])
        assert abs(end - begin) < 2
    expect(panel).to_contain_text("final norm frozen")


def test_the_logit_of_another_piece_is_taken_apart_where_it_is_chosen(window: Explore) -> None:
    open_worth(window)
    panel = window.page.locator("#panel-worth")
    choice = panel.get_by_role("combobox", name="piece")
    likely = [each["piece"] for each in asked(window, "predictions", top=3)["top"]]
    choice.focus()
    choice.select_option(likely[2])
    told = asked(window, "contributions", token=likely[2])
    assert told["token"] == likely[2]
    expect(panel.locator(".sum .number")).to_have_text(f"= {figure(told['logit'])}")
    expect(choice).to_be_focused()
    address_has(window.page, "piece=")
    window.page.go_back()
    usual = asked(window, "contributions")
    expect(panel.locator(".sum .number")).to_have_text(f"= {figure(usual['logit'])}")


def test_a_piece_that_the_model_does_not_know_gives_way_to_the_one_that_came(
    window: Explore,
) -> None:
    open_worth(window, "&piece=no%20such%20piece%20anywhere")
    told = asked(window, "contributions")
    panel = window.page.locator("#panel-worth")
    expect(panel.locator(".sum .number")).to_have_text(f"= {figure(told['logit'])}")
    expect(panel.get_by_role("combobox", name="piece")).to_have_value(told["token"])


def test_a_model_that_predicts_nothing_says_so_and_leads_to_one_that_does(
    window: Explore,
) -> None:
    window.page.goto(f"{window.url}/?tab=worth")
    panel = window.page.locator("#panel-worth")
    expect(panel).to_contain_text("says nothing of what comes next")
    expect(panel).to_contain_text("a model with an unembedding")
    guide = window.page.locator("#inspector .guide")
    expect(guide).to_contain_text("there is nothing to press here")
    expect(guide).not_to_contain_text("longest bar")
    panel.get_by_role("button", name=re.compile("^Ask ")).click()
    expect(panel.locator("table")).to_be_visible()
    address_has(window.page, "source=installed")
    expect(guide).to_contain_text("longest bar")


def test_a_model_whose_layers_add_to_no_sum_has_its_heads_dropped_and_says_what_the_sum_needs(
    window: Explore,
) -> None:
    window.page.goto(f"{window.url}/?source=trained&task=reverse&text=a%20b%20%7C%20b&tab=worth")
    panel = window.page.locator("#panel-worth")
    expect(panel.locator(".in-turn button")).to_have_count(1)
    expect(panel).to_contain_text("needs a model whose parts write into one sum")
    assert window.watch.refusals == []
    assert not [r for r in window.watch.requests if "/contributions" in r.url]
