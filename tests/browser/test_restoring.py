"""Two tabs of one browser keep to themselves, and a reload restores what was seen."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.hands import SEEDED, Explore, address_has, until

SECOND = "/?text=another%20tab&seed=5&num_layers=2&layer=1&head=2&cell=weights.1.0&picked=key.1"
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


def test_two_tabs_do_not_disturb_each_other_and_a_reload_restores_one(explore: Explore) -> None:
    page = explore.page
    left = explore.question()
    other = page.context.new_page()
    other.set_viewport_size({"width": 1440, "height": 900})
    other.emulate_media(reduced_motion="reduce")
    second = Explore(other, explore.url)
    second.open(SECOND)
    before = settled(other)
    other.reload()
    assert settled(other) == before
    body = second.ask(lambda: second.field("seed").fill("9"))
    second.shows(body, place=(1, 2, 0))
    other.locator("[data-theme-switch]").click()
    expect(page.locator("#inspector output")).to_have_count(0)
    explore.shows(left)
    expect(page).to_have_url(f"{explore.url}{SEEDED}")
    mine = explore.ask(lambda: explore.field("seed").fill("8"))
    explore.shows(mine, theme=page.locator("html").get_attribute("data-theme") or "light")
    address_has(other, "text=another%20tab", "seed=9", "head=2", "cell=weights.1.0")
    assert second.question() == body
    other.close()
