"""The laboratory by hand: a chart that is pointed at, a slider, and a softmax that overflows."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, address_lacks, box, fits, written

MEASURES = ("variance", "entropy", "largest", "jacobian")


def panel(explore: Explore) -> Locator:
    return explore.page.locator("#panel-lab")


def random_figures(explore: Explore, d_k: int) -> dict[bool, dict[str, float]]:
    """What random scores do at a width: scaled and not."""
    reply = explore.page.request.get(f"{explore.url}/api/v1/laboratory/scaling?n=12").json()
    widths = [one for one in reply["widths"] if one["d_k"] == d_k]
    return {one["scaled"]: one["figures"] for one in widths}


def test_charts_are_pointed_at_and_slid_along_and_one_press_makes_the_softmax_overflow(
    explore: Explore,
) -> None:
    page, lab = explore.page, panel(explore)
    assert not [r.url for r in explore.watch.requests if re.search("/laboratory|/scaling", r.url)]
    explore.tab("Laboratory").click()
    random = lab.locator("section").filter(has=page.get_by_label("d_k", exact=True))
    usual, far = (random_figures(explore, d_k) for d_k in (16, 1024))
    entropy = random.locator("[data-measure=entropy]")
    expect(entropy.locator(".values b").last).to_have_text(written(usual[True]["entropy"]))
    place = box(entropy.locator(".plot-of"))
    page.mouse.move(place["x"] + place["width"] - 20, place["y"] + 60)
    for measure in MEASURES:
        shown = random.locator(f"[data-measure={measure}] .values b").first
        expect(shown).to_have_text(written(far[False][measure]))
    page.mouse.move(0, 0)
    expect(entropy.locator(".values b").last).to_have_text(written(usual[True]["entropy"]))
    address_lacks(page, "width")
    random.get_by_label("d_k", exact=True).press("End")
    expect(entropy.locator(".values b").last).to_have_text(written(far[True]["entropy"]))
    address_has(page, "width=1024")
    lab.get_by_role("button", name="Precision").click()
    lab.get_by_role("button", name="Make it overflow").click()
    expect(lab.locator(".softmaxes td.bad").first).to_have_text("∞")


def test_the_laboratory_and_the_gradients_fit_a_phone_in_chinese(
    elsewhere: Callable[..., Explore],
) -> None:
    phone = elsewhere("/?bias=true&lang=zh", viewport={"width": 390, "height": 844})
    page, lab = phone.page, panel(phone)
    phone.tab("实验室").click()
    lab.locator("circle:visible").first.wait_for()
    fits(page, 390)
    lab.get_by_role("button", name="精度").click()
    lab.get_by_role("cell").first.wait_for()
    fits(page, 390)
    phone.tab("梯度").click()
    gradients = page.locator("#panel-gradients")
    gradients.locator("[data-stage=x] canvas[data-layer]").wait_for()
    fits(page, 390)
    for part, key in ((lab, "lab."), (gradients, "gradients.")):
        assert key not in (part.text_content() or "")
