"""Parameters that other sites append to links: ignored by pages, refused by the REST API."""

from __future__ import annotations

import re
from html import unescape

import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.tracking import NAMES, PREFIXES, is_tracking
from attnscope.web.pages.address import ASKED, COMPARED, VIEW
from tests.web.client import TRACES, problem_of
from tests.web.http.test_queries import PAGES, operations

TRACKED = {"fbclid": "x", "utm_source": "list", "utm_medium": "e mail"}
CLEAN = re.compile(r'<meta name="clean-address" content="([^"]*)">')


def cleaned(text: str) -> str | None:
    """The address that a page puts in the place of its own."""
    found = CLEAN.search(text)
    return unescape(found[1]) if found else None


def test_every_page_ignores_names_of_trackers(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in set(PAGES) - {"/sign-in"}:  # other sites link to pages, not to this form
        with subtests.test(path):
            page = client.get(path, params={**TRACKED, "gclid": "1"}, follow_redirects=False)
            assert page.status_code < 400, page.text
            unknown = client.get(path, params={**TRACKED, "layr": 3})
            assert [one["at"] for one in unknown.json()["errors"]] == ["query.layr"]


def test_a_page_says_its_address_without_them(client: TestClient) -> None:
    page = client.get("/", params={"text": "a & b", **TRACKED, "head": "1"})
    assert cleaned(page.text) == "/?text=a+%26+b&head=1"
    assert cleaned(client.get("/learn/scores", params=TRACKED).text) == "/learn/scores"
    assert cleaned(client.get("/?text=a").text) is None
    assert cleaned(client.get("/api", params=TRACKED).text) is None  # one page for all who ask


def test_the_button_of_a_refusal_leads_to_an_address_without_them(client: TestClient) -> None:
    refusal = client.get("/?utm_source=a&layr=3&text=b", headers={"Accept": "text/html"})
    assert refusal.status_code == 422
    assert 'href="/?text=b"' in refusal.text


def test_the_rest_api_stays_strict(client: TestClient) -> None:
    for path in (TRACES, "/api/v1/attention"):
        problem_of(
            client.post(path, params={"fbclid": "x"}, json={"text": "a"}), 422, "invalid_request"
        )


def test_no_parameter_of_ours_has_the_name_of_a_tracker() -> None:
    declared = {name for _, _, names in operations() for name in names}
    ours = {*ASKED, *VIEW, *COMPARED, "lang", *declared}
    assert [name for name in ours if is_tracking(name)] == []
    assert all(is_tracking(name) for name in (*NAMES, *(f"{prefix}x" for prefix in PREFIXES)))
