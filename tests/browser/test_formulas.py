"""No formula is cut off or written over, at any width, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

WIDTHS = (1440, 1280, 1240, 1024, 390)
QUESTIONS = {
    "default": "",
    "layers": "num_layers=4&block=pre_norm&mlp=true",
    "context": "context=The%20cat%20sat",
    "rotary": "positions=rotary",
    "alibi": "positions=alibi",
}
TABS = {"stages": "#pipeline", "gradients": "#panel-gradients"}
# What a formula loses to a box that hides it, and what it is written over.
TROUBLES = """(root) => {
  const box = (element) => element.getBoundingClientRect();
  const hides = (element) => getComputedStyle(element).overflowX !== "visible";
  const seen = [...root.querySelectorAll("math")].filter((math) => math.checkVisibility());
  return seen.flatMap((math) => {
    const own = box(math);
    const card = math.closest(".card, section");
    const name = `${card?.dataset.stage ?? ""} ${math.textContent}`;
    let holder = math.parentElement;
    while (holder !== card && !hides(holder)) holder = holder.parentElement;
    const edge = box(holder);
    const cut = own.left < edge.left - 1 || own.right > edge.right + 1;
    const others = [...card.querySelectorAll(":scope > header > :is(h3, .enlarge), .shape > span")];
    const under = others.filter((other) => other.checkVisibility()).find((other) => {
      const its = box(other);
      const [x, y] = [Math.min(own.right, its.right) - Math.max(own.left, its.left),
        Math.min(own.bottom, its.bottom) - Math.max(own.top, its.top)];
      return x > 1 && y > 8;
    });
    const told = [cut && `${name}: cut off`, under && `${name}: over ${under.textContent}`];
    return told.filter(Boolean);
  });
}"""


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_formula_has_room(
    new_page: Callable[..., Page], live_server: str, question: str, tab: str
) -> None:
    page = new_page(viewport={"width": WIDTHS[0], "height": 900}, reduced_motion="reduce")
    page.goto(f"{live_server}/?{QUESTIONS[question]}&tab={tab}&lang=en")
    panel = page.locator(TABS[tab])
    panel.locator("canvas[data-layer]").first.wait_for()
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert panel.locator("math:visible").count() > 8
        found[width] = panel.evaluate(TROUBLES)
    assert {width: troubles for width, troubles in found.items() if troubles} == {}
