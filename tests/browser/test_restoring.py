"""Nothing is lost: tabs keep to themselves, a reload and the history bring back what was seen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import PATIENCE, SEEDED, Explore, until

RICH = (
    "/?lang=en&text=The%20cat%20sat%0A%E7%8C%AB%20%F0%9F%98%80%20%D7%A9%D7%9C%D7%95%D7%9D"
    "&tokenizer=characters&window=5&prefix=2&blocked=1.0_2.1&scale=0.25&temperature=0.7&dtype=float32"
    "&seed=7&d_model=24&num_heads=6&num_kv_heads=3&num_layers=3&init=xavier_uniform&bias=true"
    "&positions=sinusoidal&block=residual&batch=1&layer=2&head=4&cell=weights.3.2&picked=key.1_2"
    "&precision=6&range=row"
)
# Everything drawn, written and chosen.
SEEN = """() => ({
  address: location.href,
  pictures: [...document.querySelectorAll("canvas[data-layer]")]
    .filter((canvas) => canvas.checkVisibility()).map((canvas) => canvas.toDataURL()),
  fields: [...document.querySelectorAll("input, select, textarea")]
    .map((field) => field.type === "checkbox" ? field.checked : field.value),
  told: document.querySelector("#inspector").innerText,
  said: document.querySelector("#picked")?.innerText ?? document.querySelector("#trio").innerText,
  open: [...document.querySelectorAll("dialog[open]")].map((dialog) => dialog.innerText),
})"""


def settled(page: Page) -> dict[str, object]:
    """What is seen once nothing changes any more."""
    seen: list[dict[str, object]] = [{}]

    def still() -> bool:
        page.wait_for_timeout(120)
        seen.append(page.evaluate(SEEN))
        ready = page.locator("body").get_attribute("data-status") == "ready"
        waiting = page.locator(".explore #inspector.pinned:not(:has(.value))").count()
        told = bool(seen[-1]["told"]) and not waiting
        return ready and told and bool(seen[-1]["pictures"]) and seen[-1] == seen[-2]

    until(page, still, "the page is still")
    return seen[-1]


@pytest.mark.parametrize(
    "address",
    [
        RICH,
        f"{RICH}&stage=scaled_scores",
        f"{RICH}&tab=heads&heads=0.1_2.4&combine=max&metric=distance&sorted=true",
        "/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat&b.seed=3&b.causal=false"
        "&align=edit&head=2&cell=weights.3.1&stage=weights&of=b&precision=4",
    ],
    ids=["stages", "large", "heads", "compare"],
)
def test_a_reload_restores_a_rich_state_exactly(
    new_page: Callable[..., Page], live_server: str, address: str
) -> None:
    page = new_page(
        viewport={"width": 1440, "height": 900}, locale="en-US", reduced_motion="reduce"
    )
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{live_server}{address}")
    before = settled(page)
    page.reload()
    assert settled(page) == before
    other = page.context.new_page()
    other.goto(str(before["address"]))
    assert settled(other) == before


def test_two_tabs_do_not_disturb_each_other(explore: Explore) -> None:
    page = explore.page
    left = explore.question()
    other = page.context.new_page()
    other.set_viewport_size({"width": 1440, "height": 900})
    second = Explore(other, explore.url)
    second.open("/?text=another%20tab&seed=5&cell=weights.1.0")
    body = second.ask(lambda: second.field("heads").first.fill("2"))
    second.shows(body)
    other.locator("[data-theme-switch]").click()
    expect(page.locator("#inspector output")).to_have_count(0)
    explore.shows(left)
    expect(page).to_have_url(f"{explore.url}{SEEDED}")
    mine = explore.ask(lambda: explore.field("seed").fill("8"))
    explore.shows(mine, theme=page.locator("html").get_attribute("data-theme") or "light")
    expect(second.sentence).to_have_value("another tab")
    expect(other).to_have_url(re.compile("text=another%20tab&seed=5&num_heads=2|num_heads=2"))
    assert second.question() == body
    other.close()
    page.evaluate("localStorage.clear()")


def test_back_and_forward_walk_through_ways_to_look(explore: Explore) -> None:
    page = explore.page
    trail = [page.url]

    def done(act: Callable[[], object], sign: str) -> None:
        act()
        expect(page.locator(sign).first).to_be_visible()
        until(page, lambda: page.url != trail[-1], "the address follows")
        trail.append(page.url)

    explore.card("weights").get_by_role("button", name="Enlarge weights").focus()
    done(lambda: page.keyboard.press("Enter"), "#large[open]")
    done(lambda: page.get_by_label("show as table").check(), "#large table")
    done(lambda: page.locator("#large td").nth(14).click(), "#inspector output")
    signs = ["#inspector .guide", "#large .plot", "#large table", "#inspector output"]
    for at in (2, 1, 0):
        page.go_back()
        expect(page.locator(signs[at]).first).to_be_visible()
        expect(page).to_have_url(trail[at])
    expect(page.locator("#large")).to_be_hidden()
    for at in (1, 2, 3):
        page.go_forward()
        expect(page.locator(signs[at]).first).to_be_visible()
        expect(page).to_have_url(trail[at])
