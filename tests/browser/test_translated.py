"""Pages that a browser translates, which puts its own elements into them: see translator.js."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, written
from tests.browser.pixels import stage_cells

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TRANSLATOR = Path(__file__).with_name("translator.js")
BOX = "#sentence textarea"
ECHO = "/?text=Tom%20met%20Ann.%20Tom&source=installed&name=echo"
# Tokens, numbers, formulas and code, in this order.
KEPT = ", ".join([
    "#looks .sentence-tokens li", "#looks .seen-line :is(em, b)", "#tokens .chip",
    "#predictions .surprise li", "#predictions .piece", ".labels span", ".token",
    ".cells span", ".legend :is(.low, .middle, .high)", "#inspector output", "#inspector .steps li",
    ".likely .number", "td.number",
    ".shape", "math",
    "code", "pre",
])  # fmt: skip
TAKEN = f"""() => [...document.querySelectorAll("{KEPT}")]
  .filter((element) => element.closest("font") || element.querySelector("font"))
  .map((element) => `${{element.localName}}.${{element.className}} ${{element.textContent}}`)"""
TWICE = "document.body.textContent.includes('««')"


def translated(browser: Browser, url: str, address: str) -> Explore:
    """A page whose translator runs while it is used."""
    page: Page = browser.new_page(locale="en-US", bypass_csp=True)
    page.add_init_script(path=TRANSLATOR)
    one = Explore(page, url)
    one.page.goto(f"{url}{address}")
    one.page.evaluate("startTranslator()")
    return one


def keeps(window: Explore) -> None:
    assert window.page.evaluate(TAKEN) == []
    assert not window.page.evaluate(TWICE)


def test_tokens_numbers_and_formulas_stay_and_follow_what_is_asked(
    browser: Browser, live_server: str
) -> None:
    window = translated(browser, live_server, ECHO)
    page = window.page
    window.complete()
    expect(page.locator("#looks .seen-line")).to_contain_text("«")
    keeps(window)
    window.grid("weights").press("Enter")
    address_has(page, "cell=weights")
    keeps(window)
    page.locator(BOX).fill("Ann met Tom. Ann")
    expect(page.locator("#tokens .chip").first).to_contain_text("An")
    row, col = re.search(r"cell=weights\.(\d+)\.(\d+)", page.url).groups()  # type: ignore[union-attr]
    weights = stage_cells(window.answer(window.question()), "weights", 0, 0, 0)
    expect(window.value.first).to_have_text(written(weights[int(row), int(col)]))
    keeps(window)
    assert window.watch.troubles() == []
    page.close()


def test_every_tab_and_other_page_keeps_them(browser: Browser, live_server: str) -> None:
    for address, sign in {
        f"{ECHO}&tab=heads": "#panels .tile canvas",
        f"{ECHO}&tab=lines": "#panel-lines canvas",
        f"{ECHO}&tab=worth": "#panel-worth .in-turn button",
        f"{ECHO}&stage=weights&table=true": "#large table td",
        "/?step=scores.40&cell=weights.9.2": "#stepper .chip",
        "/compare?b.seed=1&cell=weights.1.0": "#inspector output",
        "/learn/softmax": "#practice form",
        "/api": "pre",
    }.items():
        window = translated(browser, live_server, address)
        window.page.locator(sign).first.wait_for(state="attached")
        window.page.wait_for_function("document.body.textContent.includes('«')")
        keeps(window)
        assert window.watch.troubles() == [], address
        window.page.close()


def test_a_translated_page_gets_its_errors_in_its_own_language(
    browser: Browser, live_server: str
) -> None:
    """The translator changes the language that the document names."""
    window = translated(browser, live_server, "/?lang=zh")
    window.settle()
    with window.page.expect_response("**/api/v1/attention") as response:
        window.page.locator(BOX).fill("她 " * 9)
    assert response.value.request.headers["accept-language"] == "zh"
    window.page.close()
