"""The page in a notebook's frame, which has no server, and the widget around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

import attnscope
from attnscope.notebook.frame import page_document
from tests.browser.hands import PATIENCE, until

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page, Route

HOST = Path(__file__).with_name("notebook_host.js")
SELECTED = {"layer": 0, "head": 0, "stage": None, "row": None, "col": None, "tab": "stages"}
ADDRESS = "/?source=installed&name=echo&text=The%20cat%20sat"


@pytest.fixture(scope="module")
def client(live_server: str) -> Iterator[attnscope.Client]:
    with attnscope.Client(live_server) as client:
        yield client


async def text_of(client: attnscope.Client, target: str) -> str:
    parts: list[bytes] = []
    headers = [(b"accept-language", b"en")]
    await client._client._server.relay(
        "GET", target, headers, b"", lambda part: parts.append(part.get("body", b""))
    )
    return b"".join(parts).decode()


@pytest.fixture
def notebook(new_page: Callable[..., Page], live_server: str, client: attnscope.Client) -> Page:
    """A page without a policy, as notebooks are."""
    page = new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
    page.set_default_timeout(PATIENCE * 1000)

    def answer(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        made = page_document(
            partial(text_of, client), live_server, query["target"][0], query["dark"] == ["true"]
        )
        html = client._loop.run(made)
        route.fulfill(body=html, content_type="text/html")

    page.route("**/framed?*", answer)
    empty = "<!doctype html><html lang=en><title>notebook</title>"
    page.route("**/notebook", lambda route: route.fulfill(body=empty, content_type="text/html"))
    page.goto(f"{live_server}/notebook")
    page.add_script_tag(path=HOST)
    return page


def shown(page: Page, **values: Any) -> FrameLocator:
    """The frame of one more widget, with all its parts."""
    html = page.request.get(page.url.replace("/notebook", "/")).text()
    script = re.search(r"/static/[^/]+/", html)[0] + "notebook/widget.js"
    kept = {"address": ADDRESS, "height": 640, "version": ""}
    page.evaluate("(given) => show(...given)", [script, {**kept, **SELECTED, **values}])
    views = page.locator(".attnscope-view")
    frame = views.nth(views.count() - 1).frame_locator("iframe")
    frame.locator("#inspector:not(:empty)").wait_for()
    return frame


def python(page: Page, at: int = 0) -> dict[str, Any]:
    """What Python knows of a widget."""
    values: dict[str, Any] = page.evaluate("(at) => models[at].values", at)
    return values


def test_the_page_and_python_have_one_selection(notebook: Page) -> None:
    page, asked = notebook, []
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.frame))
    frame = shown(page)
    weights = frame.locator(".card[data-stage=weights] canvas[data-layer]")
    place = weights.bounding_box()
    weights.click(position={"x": 0.1 * place["width"], "y": 0.8 * place["height"]})
    until(page, lambda: python(page)["row"] == 2, "the pressed cell is Python's")
    assert (python(page)["stage"], python(page)["col"]) == ("weights", 0)
    page.evaluate("models[0].set('head', 1)")
    expect(weights.and_(frame.locator("canvas[data-head='1']"))).to_be_visible()
    until(page, lambda: "cell=weights.2.0" in python(page)["address"], "the address has the cell")
    page.evaluate("for (const [name, at] of [['row', 1], ['col', 1]]) models[0].set(name, at)")
    expect(frame.get_by_role("complementary", name="Inspector")).to_contain_text("cat → cat")
    frame.get_by_role("tab", name="Heads").click()
    until(page, lambda: python(page)["tab"] == "heads", "the tab is Python's")
    root = frame.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    page.evaluate("document.documentElement.style.background = '#111'")
    expect(root).to_have_attribute("data-theme", "dark")
    # The frame itself asks for nothing: its policy has no way to.
    assert set(asked) == {page.main_frame}
    assert complaints == []


def test_two_widgets_do_not_mix_and_links_stay_in_the_frame(
    notebook: Page, client: attnscope.Client
) -> None:
    page = notebook
    there = {"head": 2, "tab": "lines", "address": f"{ADDRESS}&head=2&tab=lines"}
    one, two = shown(page), shown(page, **there)
    scrolled = "scrollY > 100 && scrollY < document.getElementById('tabs').offsetTop + 100"
    until(page, lambda: two.locator("html").evaluate(scrolled), "the tab is brought into view")
    expect(two.get_by_role("tab", name="Lines")).to_have_attribute("aria-selected", "true")
    expect(one.locator("canvas[data-head='0']").first).to_be_visible()
    two.get_by_role("textbox", name="Sentence").fill("A dog ran")
    until(page, lambda: "A%20dog" in python(page, 1)["address"], "the sentence is in the address")
    tokens = two.get_by_role("listbox", name="Tokens")
    expect(tokens).to_contain_text("dog")
    expect(one.get_by_role("listbox", name="Tokens")).not_to_contain_text("dog")
    shown_trace = two.locator("#tokens")  # read again each time, as it follows the chips
    is_known = lambda: python(page, 1)["seen"] == shown_trace.get_attribute("data-trace")  # noqa: E731
    until(page, is_known, "Python knows what is seen")
    assert "".join(client.open(python(page, 1)["seen"]).tokens[0]) == "A dog ran"
    one.get_by_role("link", name="Learn").click()
    expect(one.get_by_role("heading", level=1)).to_be_visible()
    one.get_by_role("link", name="Explore").click()
    one.locator("canvas[data-layer]:visible").first.wait_for()
    assert python(page, 1)["head"] == 2


DROP = """(body, name) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(3 << 20)], name));
  for (const kind of ["dragenter", "dragover", "drop"])
    body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true }));
}"""


def test_files_come_out_of_the_frame_and_go_into_it(notebook: Page) -> None:
    page = notebook
    frame = shown(page)
    frame.get_by_role("button", name="Share & export", exact=True).click()
    dialog = frame.get_by_role("dialog")
    with page.expect_download() as picture:
        dialog.get_by_role("button", name="PNG").click()
    assert Path(picture.value.path()).read_bytes()[1:4] == b"PNG"
    dialog.get_by_role("button", name="Close").click()
    with page.expect_request("**/api/v1/models") as upload:
        frame.locator("body").evaluate(DROP, "zeros.npz")
    assert len(upload.value.post_data_buffer) > 3 << 20  # of four messages
    assert b'filename="zeros.npz"' in upload.value.post_data_buffer[:500]


def test_a_notice_stands_above_the_picture_and_covers_none_of_it(notebook: Page) -> None:
    """Of a notebook that is opened again: its kernel never answers, and the picture stays."""
    html = notebook.request.get(notebook.url.replace("/notebook", "/")).text()
    script = re.search(r"/static/[^/]+/", html)[0] + "notebook/widget.js"
    notebook.evaluate(
        """async (script) => {
          const { default: widget } = await import(script);
          const still = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"/>';
          const values = { address: "/", height: 640, version: "", still };
          const ended = () => { throw new Error("no kernel"); };
          const model = { get: (name) => values[name], on() {}, off() {}, set() {}, send: ended };
          widget.render({ model, el: document.body.appendChild(document.createElement("div")) });
        }""",
        script,
    )
    notice, picture = notebook.get_by_role("status"), notebook.locator(".attnscope-view img")
    expect(notice).to_have_text("The kernel was restarted, or it ended: run this cell again.")
    expect(picture).to_be_visible()
    box, below = notice.bounding_box(), picture.bounding_box()
    assert box is not None
    assert below is not None
    assert box["y"] + box["height"] <= below["y"]
