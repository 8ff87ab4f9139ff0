"""One text with its line breaks: chosen beside the box, from a file, pasted, and passed on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.hands import SEEDED, Explore, address_has, address_lacks

POEM = "the cat sat\non the mat\n\nand slept"
BOTH = f"{SEEDED}&text={quote(POEM)}&breaks=true"
WRITER = "/?source=installed&name=echo-zh&tab=decode&text=" + quote("床前明月光")
GONE = "() => { File.prototype.arrayBuffer = () => Promise.reject(new DOMException()); }"
DROP = """([selector, files]) => {
  const data = new DataTransfer();
  for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name));
  const box = document.querySelector(selector);
  for (const type of ["dragenter", "dragover", "drop"])
    box.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
}"""


def choice(page: Page | Locator, breaks: bool) -> Locator:
    name = "Line breaks belong to the text" if breaks else "Each line is a text of its own"
    return page.get_by_role("radio", name=name)


def told(explore: Explore) -> Locator:
    return explore.page.locator("#sentence .text-tools [role=alert]")


def file(name: str, content: str | bytes) -> FilePayload:
    raw = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": "text/plain", "buffer": raw}


def choose(explore: Explore, *files: FilePayload | Path) -> None:
    with explore.page.expect_file_chooser() as opened:
        explore.page.get_by_role("button", name="Open a text file").click()
    opened.value.set_files(list(files))  # type: ignore[arg-type]


def drop(explore: Explore, selector: str, *files: tuple[str, bytes]) -> None:
    explore.page.evaluate(DROP, [selector, [[name, list(raw)] for name, raw in files]])


def test_lines_are_texts_until_their_breaks_belong_to_the_text(explore: Explore) -> None:
    page = explore.page
    expect(choice(page, True)).to_be_hidden()
    body = explore.ask(lambda: explore.sentence.fill(POEM))
    assert body["text"] == ["the cat sat", "on the mat", "and slept"]
    address_lacks(page, "breaks")
    expect(choice(page, False)).to_be_checked()
    body = explore.ask(choice(page, True).check)
    assert body["text"] == POEM
    address_has(page, "breaks=true")
    expect(page.locator(".line-breaks")).to_contain_text("1 text of 4 lines")
    expect(page.locator("#tokens .count")).to_have_text("8 tokens")
    page.get_by_role("button", name="Undo").click()
    expect(choice(page, False)).to_be_checked()
    page.go_back()
    expect(choice(page, True)).to_be_checked()


def test_a_text_comes_back_with_its_line_breaks(
    explore: Explore, elsewhere: Callable[..., Explore]
) -> None:
    """From the address, over a reload, by a short link, and in a pasted question."""
    explore.open(BOTH)
    assert explore.question()["text"] == POEM
    explore.page.reload()
    expect(explore.sentence).to_have_value(POEM)
    expect(choice(explore.page, True)).to_be_checked()
    trace = explore.answer(explore.question())["trace"]
    linked = elsewhere(f"/?t={trace}")
    expect(linked.sentence).to_have_value(POEM)
    expect(choice(linked.page, True)).to_be_checked()
    assert linked.question()["text"] == POEM


def test_what_a_model_writes_goes_on_in_one_text(window: Explore) -> None:
    window.page.goto(f"{window.url}{WRITER}")
    writing = window.page.locator("#panel-decode .writing")
    writing.get_by_label("Tokens").fill("4")
    writing.get_by_role("button", name="Continue the text").click()
    expect(window.sentence).to_have_value(re.compile(r"^床前明月光.*\n"))
    expect(choice(window.page, True)).to_be_checked()
    expect(window.page.locator("#tokens .count")).to_have_text("9 tokens")
    text = window.question()["text"]
    assert isinstance(text, str)
    assert "\n" in text


def test_compare_and_a_context_have_it_alike(elsewhere: Callable[..., Explore]) -> None:
    page = elsewhere(None)
    page.page.goto(
        f"{page.url}/compare?a.text={quote(POEM)}&a.breaks=true&b.text=a&b.context=b%0Ac"
    )
    sides = [page.page.locator(name) for name in ("#a", "#b")]
    expect(choice(sides[0], True)).to_be_checked()
    expect(choice(sides[1], False)).to_be_checked()
    body = page.ask(choice(sides[1], True).check)
    assert (body["text"], body["context"]) == ("a", "b\nc")
    address_has(page.page, "a.breaks=true", "b.breaks=true")


def test_a_file_becomes_one_text(explore: Explore) -> None:
    body = explore.ask(lambda: choose(explore, file("a.txt", b"\xef\xbb\xbfone\r\ntwo")))
    assert body["text"] == "one\ntwo"
    expect(explore.sentence).to_have_value("one\ntwo")
    expect(choice(explore.page, True)).to_be_checked()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([file("a.txt", b"\xff\xfea\0")], "a.txt is not text in UTF-8"),
        ([file("a.txt", "")], "a.txt has no text in it"),
        ([file("a.txt", "x" * 10_000_000)], "more than [\\d,]+ characters, the most"),
    ],
)
def test_a_file_that_is_not_taken_is_told_beside_the_box(
    explore: Explore, files: list[FilePayload], said: str
) -> None:
    text = explore.sentence.input_value()
    choose(explore, *files)
    expect(told(explore)).to_contain_text(re.compile(said))
    expect(explore.sentence).to_have_value(text)
    explore.sentence.fill("typed")
    expect(told(explore)).to_be_empty()


def test_a_file_that_is_gone_when_it_is_read(explore: Explore, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("here")
    page = explore.page
    page.evaluate(GONE)
    choose(explore, path)
    expect(told(explore)).to_contain_text("a.txt cannot be read any more")
    page.reload()


def test_files_dropped_on_the_page(explore: Explore) -> None:
    """Text goes into the box it falls on, also while the last one is asked; two are refused."""
    drop(explore, "#pipeline", ("a.md", b"# one\n\ntwo"))
    drop(explore, "#pipeline", ("b.md", b"# three\n\nfour"))
    expect(explore.sentence).to_have_value("# three\n\nfour")
    drop(explore, "#text", ("a.txt", b"a"), ("b.txt", b"b"))
    expect(told(explore)).to_contain_text("Several text files at once")
    drop(explore, "#text", ("picture", b"\x89PNG\0"))
    expect(told(explore)).to_contain_text("picture is not text")
    body = explore.ask(lambda: drop(explore, "#text", ("notes", b"five\nsix")))
    assert body["text"] == "five\nsix"


def paste(explore: Explore, text: str, *, over: bool = True) -> None:
    """In the place of what is there, or where the keys are, as a hand does it."""
    page = explore.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    if over:
        explore.sentence.press("ControlOrMeta+a")
    explore.sentence.press("ControlOrMeta+v")


def test_a_text_is_the_same_question_pasted_or_from_a_file(explore: Explore) -> None:
    for text in (POEM, "one line", "one line with its break\n"):
        pasted = explore.ask(lambda: paste(explore, text))  # noqa: B023
        explore.sentence.fill("something else")
        explore.open()
        opened = explore.ask(lambda: choose(explore, file("a.txt", text)))  # noqa: B023
        assert pasted["text"] == opened["text"] == text
        explore.open()


def test_lines_that_are_pasted_over_all_may_be_made_texts(explore: Explore) -> None:
    body = explore.ask(lambda: paste(explore, POEM))
    assert body["text"] == POEM
    expect(explore.page.get_by_text("Pasted 3 lines as one text.")).to_be_visible()
    button = explore.page.get_by_role("button", name="Make each line a text of its own")
    assert len(explore.ask(button.click)["text"]) == 3
    expect(button).to_have_count(0)
    expect(choice(explore.page, False)).to_be_focused()


def test_lines_that_are_pasted_among_others_may_be_made_one_text(explore: Explore) -> None:
    explore.ask(lambda: explore.sentence.fill("a title\n"))
    explore.sentence.press("ControlOrMeta+End")
    body = explore.ask(lambda: paste(explore, POEM, over=False))
    assert body["text"] == ["a title", "the cat sat", "on the mat", "and slept"]
    expect(explore.page.get_by_text("Pasted 3 lines, and each")).to_be_visible()
    button = explore.page.get_by_role("button", name="Make them one text")
    assert explore.ask(button.click)["text"] == f"a title\n{POEM}"
    expect(button).to_have_count(0)
    expect(choice(explore.page, True)).to_be_focused()


def test_a_paste_is_never_cut(explore: Explore) -> None:
    before = explore.sentence.input_value()
    paste(explore, "many words " * 1_000_000)
    expect(told(explore)).to_contain_text("Nothing was changed")
    expect(explore.sentence).to_have_value(before)
