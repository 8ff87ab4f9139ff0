"""Replies in Chromium's own cache: kept where nothing can change, each under its own language."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attnscope.web.http.replies import RELEASE
from tests.browser.hands import Explore, address_has, until

CELLS = r'method="GET",route="/api/v1/traces/\{id\}/cells/\{stage\}"'
LOOK = """async ([url, accept]) => {
  const response = await fetch(url, { headers: { Accept: accept } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [response.headers.get("Content-Type"), bytes.length, bytes[0]];
}"""


def asked(page: Page, server: str) -> int:
    """How many cells the server was asked for."""
    reply = page.request.get(f"{server}/metrics").text()
    return sum(int(float(n)) for n in re.findall(rf"requests_total{{{CELLS}[^}}]*}} (\S+)", reply))


def cells_of(window: Explore) -> list[str]:
    """The addresses of the cells that the page requested."""
    return [one.url for one in window.watch.requests if "/cells/" in one.url]


def speaks_the_language(window: Explore) -> None:
    window.open("/?text=one two three four")
    window.click("masked_scores", (0, 2), (5, 5))
    because = window.inspector.locator(".because")
    expect(because).to_contain_text("comes after")
    english = because.inner_text()
    for language, sentence in (("中文", re.compile("[\u4e00-\u9fff]")), ("EN", english)):
        window.page.get_by_role("link", name=language).click()
        expect(because).to_have_text(sentence)


def is_read_again_from_the_cache(window: Explore) -> None:
    page, output = window.page, window.value
    window.open("/?text=one two three four five")
    window.watch.forget()
    before = asked(page, window.url)
    window.click("weights", (4, 2), (5, 5))
    expect(output).to_be_visible()
    address_has(page, "cell=weights.4.2")
    value, address = output.inner_text(), page.url
    sent = cells_of(window)
    assert sent
    assert all(url.endswith(f"&release={RELEASE}") for url in sent)
    first = before + len(sent)
    until(page, lambda: asked(page, window.url) == first, "the server has counted them")
    assert "release" not in address
    page.goto("about:blank")
    window.watch.forget()
    page.goto(address)
    expect(output).to_have_text(value)
    until(page, lambda: cells_of(window), "it is asked")
    assert asked(page, window.url) == first


def is_apart_from_another_representation(window: Explore) -> None:
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


def test_a_kept_reply_is_the_one_that_is_asked_for(
    elsewhere: Callable[..., Explore], subtests: pytest.Subtests
) -> None:
    window = elsewhere(None, is_new=True)  # whose cache is empty
    with subtests.test("a cell speaks the language that was switched to"):
        speaks_the_language(window)
    with subtests.test("a cell is read again from the cache"):
        is_read_again_from_the_cache(window)
    with subtests.test("one address keeps its representations apart"):
        is_apart_from_another_representation(window)
