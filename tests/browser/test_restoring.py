"""Two tabs of one browser keep to themselves, and a reload restores what was seen."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import SEEDED, STAGES, Explore, address_has, until

SECOND = "/?text=another%20tab&seed=5&num_layers=2&layer=1&head=2&cell=weights.1.0&picked=key.1"
OPERAND, NUMBER = re.compile("^scaled scores .*: "), re.compile(r"\d\.\d")
# Everything drawn, written and chosen.
SEEN = """() => ({
  address: location.href,
  pictures: [...document.querySelectorAll("canvas[data-layer]")]
    .filter((canvas) => canvas.checkVisibility()).map((canvas) => canvas.toDataURL()),
  fields: [...document.querySelectorAll("input, select, textarea")]
    .map((field) => field.type === "checkbox" ? field.checked : field.value),
  text: document.querySelector("#inspector").innerText,
  said: document.querySelector("#picked")?.innerText ?? document.querySelector("#trio").innerText,
  open: [...document.querySelectorAll("dialog[open]")].map((dialog) => dialog.innerText),
})"""


def seen(explore: Explore) -> dict[str, object]:
    """What is seen once every part has come: pictures, and the texts about both selections."""
    expect(explore.page.locator("body")).to_have_attribute("data-status", "ready")
    explore.shows(explore.question(), STAGES, place=(1, 2, 0))
    expect(explore.value).to_be_visible()
    expect(explore.inspector.get_by_role("button", name=OPERAND)).not_to_have_count(0)
    expect(explore.page.get_by_role("region", name="Picked tokens")).to_contain_text(NUMBER)
    expect(explore.page.locator("[data-pending], [data-other]")).to_have_count(0)
    found: dict[str, object] = explore.page.evaluate(SEEN)
    return found


def test_two_tabs_do_not_disturb_each_other_and_a_reload_restores_one(explore: Explore) -> None:
    page = explore.page
    left = explore.question()
    other = page.context.new_page()
    other.set_viewport_size({"width": 1440, "height": 900})
    other.emulate_media(reduced_motion="reduce")
    second = Explore(other, explore.url)
    second.open(SECOND)
    before = seen(second)
    other.reload()
    until(other, lambda: other.evaluate(SEEN) == before, "the reload restores what was seen")
    body = second.ask(lambda: second.field("seed").fill("9"))
    second.shows(body, place=(1, 2, 0))
    other.get_by_role("button", name=re.compile("^Theme")).click()
    expect(explore.value).to_have_count(0)
    explore.shows(left)
    expect(page).to_have_url(f"{explore.url}{SEEDED}")
    mine = explore.ask(lambda: explore.field("seed").fill("8"))
    explore.shows(mine, theme=page.locator("html").get_attribute("data-theme") or "light")
    address_has(other, "text=another%20tab", "seed=9", "head=2", "cell=weights.1.0")
    assert second.question() == body
    other.close()
