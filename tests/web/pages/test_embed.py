"""The page for frames: which pages may show it, and that no other page may be shown."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import MakeClient


def ancestors(client: TestClient, path: str) -> str:
    policy = client.get(path).headers["content-security-policy"]
    assert policy.startswith("default-src 'self'; script-src 'self'; style-src 'self';")
    return policy.rpartition("frame-ancestors ")[2]


def test_only_embed_may_stand_in_a_frame_and_only_of_our_own_pages(client: TestClient) -> None:
    assert ancestors(client, "/embed") == "'self'"
    for path in ("/", "/api", "/nothing", "/api/v1/examples"):
        assert ancestors(client, path) == "'none'"


def test_the_setting_says_which_pages_may_frame_it(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    for sources in ("'none'", "*", "'self' https://school.example:8443"):
        with subtests.test(sources):
            client = make_client(frame_ancestors=sources)
            assert ancestors(client, "/embed?stage=weights") == sources
            assert ancestors(client, "/") == "'none'"


@pytest.mark.parametrize(("lang", "text"), [("en", "Open in attnscope"), ("zh", "中打开")])
def test_it_is_the_page_in_the_readers_language(client: TestClient, lang: str, text: str) -> None:
    response = client.get("/embed", params={"lang": lang})
    assert response.status_code == 200
    assert text in response.text
    assert 'class="explore embed"' in response.text
