"""Answers in Chromium's own cache: kept where nothing can change, and never shown for another."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from app.web.http.replies import RELEASE
from tests.browser.hands import Explore, until

CELLS = r'method="GET",route="/api/v1/traces/\{id\}/cells/\{stage\}"'
LOOK = """async ([url, accept]) => {
  const response = await fetch(url, { headers: { Accept: accept } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [response.headers.get("Content-Type"), bytes.length, bytes[0]];
}"""


def asked(page: Page, server: str) -> int:
    """How many cells the server was asked for."""
    told = page.request.get(f"{server}/metrics").text()
    return sum(int(float(n)) for n in re.findall(rf"requests_total{{{CELLS}[^}}]*}} (\S+)", told))


def test_a_cell_speaks_the_language_that_was_switched_to(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere("/?text=one two three four")
    window.click("masked_scores", (0, 2), (5, 5))
    because = window.inspector.locator(".because")
    expect(because).to_contain_text("comes after")
    english = because.inner_text()
    for language, sentence in (("中文", re.compile("[\u4e00-\u9fff]")), ("EN", english)):
        window.page.get_by_role("link", name=language).click()
        expect(because).to_have_text(sentence)


def test_a_second_look_at_a_cell_asks_nobody(elsewhere: Callable[..., Explore]) -> None:
    window = elsewhere("/?text=one two three four five")
    page, output = window.page, window.inspector.locator("output")
    before = asked(page, window.url)
    window.click("weights", (4, 2), (6, 6))
    expect(output).to_be_visible()
    value = output.inner_text()
    sent = [one.url for one in window.watch.requests if "/cells/" in one.url]
    assert sent
    assert all(url.endswith(f"&release={RELEASE}") for url in sent)
    first = asked(page, window.url)
    assert first > before
    address = page.url
    assert "release" not in address
    page.goto("about:blank")
    window.watch.forget()
    page.goto(address)
    expect(output).to_have_text(value)
    until(page, lambda: any("/cells/" in one.url for one in window.watch.requests), "it is asked")
    assert asked(page, window.url) == first


def test_one_address_keeps_its_representations_apart(elsewhere: Callable[..., Explore]) -> None:
    window = elsewhere("/?text=one two three")
    trace = window.answer(window.question())["trace"]
    for release in ("", f"?release={RELEASE}"):
        url = f"{window.url}/api/v1/traces/{trace}/stages/x{release}"
        seen = [
            window.page.evaluate(LOOK, [url, f"application/{media}"])
            for media in ("json", "x-safetensors", "json", "x-safetensors")
        ]
        assert [media for media, *_ in seen] == 2 * [
            "application/json",
            "application/x-safetensors",
        ]
        assert seen[:2] == seen[2:]
        assert seen[0][2] == ord("{")
        assert seen[1][1] != seen[0][1]
