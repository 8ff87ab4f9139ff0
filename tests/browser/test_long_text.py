"""Long texts as hands bring them into a browser: out of files, dropped, and from the clipboard."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.hands import Explore

POEM = "the cat sat\non the mat\n\nand slept"
DROP = """([selector, files]) => {
  const data = new DataTransfer();
  for (const [name, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name));
  const box = document.querySelector(selector);
  for (const type of ["dragenter", "dragover", "drop"])
    box.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
}"""


def choice(explore: Explore, breaks: bool) -> Locator:
    name = "Line breaks belong to the text" if breaks else "Each line is a text of its own"
    return explore.page.get_by_role("radio", name=name)


def refusal(explore: Explore) -> Locator:
    return explore.page.locator("#sentence .text-tools [role=alert]")


def choose(explore: Explore, name: str, content: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content}
    with explore.page.expect_file_chooser() as opened:
        explore.page.get_by_role("button", name="Open a text file").click()
    opened.value.set_files([file])


def drop(explore: Explore, selector: str, *files: tuple[str, bytes]) -> None:
    explore.page.evaluate(DROP, [selector, [[name, list(raw)] for name, raw in files]])


def paste(explore: Explore, text: str) -> None:
    """Pastes where the caret is."""
    page = explore.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    explore.sentence.press("ControlOrMeta+v")


def test_files_are_chosen_and_dropped(explore: Explore) -> None:
    body = explore.ask(lambda: choose(explore, "a.txt", b"\xef\xbb\xbfone\r\ntwo"))
    assert body["text"] == "one\ntwo"
    expect(explore.sentence).to_have_value("one\ntwo")
    expect(choice(explore, True)).to_be_checked()
    choose(explore, "a.txt", b"\xff\xfea\0")
    expect(refusal(explore)).to_contain_text("a.txt is not text in UTF-8")
    expect(explore.sentence).to_have_value("one\ntwo")
    drop(explore, "#text", ("a.txt", b"a"), ("b.txt", b"b"))
    expect(refusal(explore)).to_contain_text("Several text files at once")
    body = explore.ask(lambda: drop(explore, "#pipeline", ("b.md", b"# three\n\nfour")))
    assert body["text"] == "# three\n\nfour"
    expect(refusal(explore)).to_be_empty()


def test_lines_are_pasted_over_all_and_among_others(explore: Explore) -> None:
    explore.sentence.press("ControlOrMeta+a")
    body = explore.ask(lambda: paste(explore, POEM))
    assert body["text"] == POEM
    expect(explore.page.get_by_text("Pasted 3 lines as one text.")).to_be_visible()
    part = explore.page.get_by_role("button", name="Make each line a text of its own")
    assert len(explore.ask(part.click)["text"]) == 3
    expect(part).to_have_count(0)
    expect(choice(explore, False)).to_be_focused()
    explore.ask(lambda: explore.sentence.fill("a title\n"))
    explore.sentence.press("ControlOrMeta+End")
    body = explore.ask(lambda: paste(explore, POEM))
    assert body["text"] == ["a title", "the cat sat", "on the mat", "and slept"]
    join = explore.page.get_by_role("button", name="Make them one text")
    assert explore.ask(join.click)["text"] == f"a title\n{POEM}"
    expect(choice(explore, True)).to_be_focused()
