"""A context in a browser: typed by hand, taken away, and kept in a page that is a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect

from tests.browser.hands import Explore
from tests.browser.hands import box as place_of

BODY: dict[str, Any] = {"text": "Die Katze sass", "context": "The cat sat on the mat"}


def box(explore: Explore) -> Locator:
    return explore.page.get_by_role("textbox", name="Context", exact=True)


def test_a_context_is_typed_beside_a_sentence_and_taken_away_with_it(
    elsewhere: Callable[..., Explore], browser: Browser, tmp_path: Path
) -> None:
    desk = elsewhere("/?text=Die%20Katze%20sass", permissions=["clipboard-read", "clipboard-write"])
    page = desk.page
    desk.drawer()
    choice = page.get_by_role("combobox", name="Context", exact=True)
    choice.focus()
    choice.select_option("a text")
    expect(box(desk)).to_be_focused()
    desk.ask(lambda: page.keyboard.type(BODY["context"]))
    reply = desk.shows(BODY, ["k", "weights"])
    chips = page.get_by_role("listbox", name="Tokens of the context").get_by_role("option")
    expect(chips).to_have_count(6)

    desk.card("context").get_by_role("button", name="Share & export context").click()
    dialog = page.get_by_role("dialog", name="Share & export")
    stage = dialog.get_by_role("combobox", name="stage", exact=True)
    expect(stage.locator("option:checked")).to_have_text("context")
    dialog.get_by_role("button", name=re.compile("curl")).click()
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    command = page.evaluate("navigator.clipboard.readText()")
    sent = json.loads(command[command.index("-d '") + 4 : command.rindex("'")])
    assert (sent["context"], sent["stages"]) == (BODY["context"], ["context"])
    assert page.request.post(f"{desk.url}/api/v1/attention", data=sent).ok
    with page.expect_download() as download:
        dialog.get_by_role("button", name="CSV", exact=True).click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert rows[1].startswith("0,context,0,,0,0,")
    assert len(rows) == 1 + 6 * 64

    export = page.request.get(f"{desk.url}/api/v1/traces/{reply['trace']}/export?format=html")
    (tmp_path / "page.html").write_bytes(export.body())
    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.goto((tmp_path / "page.html").as_uri())
    expect(alone.locator('[data-stage="context"] canvas[data-layer]')).to_be_visible()
    chips = alone.get_by_role("listbox", name="Tokens of the context").get_by_role("option")
    expect(chips).to_have_count(6)
    expect(alone.locator('[data-stage="weights"] .labels .col')).to_have_count(6)
    context.close()


def test_a_context_of_five_words_is_on_one_line(elsewhere: Callable[..., Explore]) -> None:
    """Beside its tokens the box would have 70 pixels in the narrowest of these windows."""
    question = "/?text=The%20cat%20sat&context=The%20quick%20brown%20fox%20jumps"
    desk = elsewhere(question, viewport={"width": 1024, "height": 700})
    for width in (1024, 1240, 1280):
        desk.page.set_viewport_size({"width": width, "height": 700})
        assert place_of(box(desk))["height"] < 40, width
