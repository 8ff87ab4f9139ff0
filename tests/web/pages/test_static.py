"""Static files: from memory, under the name of their content, for ever."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from attnscope.web.pages.static import StaticFiles
from tests.hostile.sockets import eventually
from tests.web.client import problem_of

ROOT = Path(__file__).resolve().parents[3]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FOR_EVER = "public, max-age=31536000, immutable"


def test_a_file_is_served_as_it_is_with_its_type(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ("js/pages/explore.js", "text/javascript; charset=utf-8"),
        ("css/base.css", "text/css; charset=utf-8"),
        ("css/icon.svg", "image/svg+xml"),
        ("locales/zh/errors.json", "application/json"),
    ]
    for path, media in cases:
        with subtests.test(path):
            response = client.get(client.app.state.site.static.url(path))  # type: ignore[attr-defined]
            assert response.content == (ROOT / "static" / path).read_bytes()
            assert response.headers["content-type"] == media
            assert response.headers["cache-control"] == FOR_EVER


def test_a_file_that_is_not_there_is_not_found(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in ("x.js", "", "js", "js/", "../app/attnscope/main.py", "%00", "a" * 3000):
        with subtests.test(path):
            problem_of(client.get(client.app.state.site.static.url(path)), 404, "not_found")  # type: ignore[attr-defined]
            problem_of(client.get(f"/static/0.0.0-old/{path}"), 404, "not_found")


def test_the_style_sheets_of_a_page_come_as_one_in_their_order(client: TestClient) -> None:
    html = client.get("/").text
    (address,) = re.findall(r'rel="stylesheet" href="([^"]+)">', html)
    names = address.rpartition("/")[2].removesuffix(".css").split("+")
    assert names[0] == "base"
    assert len(names) > 10
    response = client.get(address)
    sheets = [(ROOT / "static" / "css" / f"{name}.css").read_text("utf-8") for name in names]
    assert "/*" not in response.text
    assert response.text.split() == COMMENT.sub("", "\n".join(sheets)).split()
    assert response.headers["content-type"] == "text/css; charset=utf-8"


def test_style_sheets_that_are_not_there_or_named_twice_are_not_found(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for name in ("base+x", "base+base", "base+", "+", "base+../js/theme", "base+sign-out"):
        with subtests.test(name):
            address = client.app.state.site.static.url(f"css/{name}.css")  # type: ignore[attr-defined]
            problem_of(client.get(address), 404, "not_found")


def test_a_file_is_only_read(client: TestClient, subtests: pytest.Subtests) -> None:
    for method in ("POST", "PUT", "DELETE"):
        with subtests.test(method):
            url = client.app.state.site.static.url("css/base.css")  # type: ignore[attr-defined]
            problem_of(client.request(method, url), 405, "method_not_allowed")
            head = client.head(url)
            assert (head.status_code, head.content) == (200, b"")


def test_another_content_has_another_address(tmp_path: Path) -> None:
    versions = []
    files = (("a.js", "1"), ("a.js", "1"), ("a.js", "2"), ("b.js", "2"))
    for at, (name, content) in enumerate(files):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / name).write_text(content)
        static = StaticFiles(folder, "1.2.3")
        assert static.url(name) == f"/static/{static.version}/{name}"
        assert re.fullmatch(r"1\.2\.3-[0-9a-f]{12}", static.version)
        versions.append(static.version)
    assert versions[0] == versions[1]
    assert len(set(versions)) == 3


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_file_is_compressed_once_and_says_so(client: TestClient, coding: str) -> None:
    static = client.app.state.site.static  # type: ignore[attr-defined]
    for path in ("joined/explore.js", "css/base+controls.css", "css/icon.svg"):
        plain = client.get(static.url(path), headers={"Accept-Encoding": "identity"})
        made = static.coded.cache_info().misses
        for _ in range(3):
            packed = client.get(static.url(path), headers={"Accept-Encoding": coding})
        large = len(plain.content) >= 1024
        assert packed.content == plain.content
        assert packed.headers.get("content-encoding") == (coding if large else None)
        assert (int(packed.headers["content-length"]) < len(plain.content)) == large
        assert static.coded.cache_info().misses - made <= large
        for reply in (plain, packed):
            assert reply.headers["vary"] == "Accept-Encoding"
            assert reply.headers["cache-control"] == FOR_EVER


def test_what_a_page_links_to_is_soon_compressed_better(client: TestClient) -> None:
    static = client.app.state.site.static  # type: ignore[attr-defined]
    path = static.script("explore")
    static.best.clear()
    sizes = []
    for _ in range(2):
        response = client.get(path, headers={"Accept-Encoding": "br"})
        assert response.text.encode() == static.content("joined/explore.js")
        sizes.append(int(response.headers["content-length"]))
        assert eventually(lambda: static.best["joined/explore.js"])
    assert sizes[1] < 0.95 * sizes[0]


def test_joined_style_sheets_fill_no_memory(client: TestClient) -> None:
    """They have more orders than anybody can count."""
    static = client.app.state.site.static  # type: ignore[attr-defined]
    assert static.coded.cache_info().maxsize == 1536
    assert 2 * len(static.files | static.scripts) < 1536
