"""Which language a reader gets."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.accept_headers import preferred
from tests.web.client import problem_of


def test_the_language_follows_accept_language(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        (None, "en"),
        ("", "en"),
        ("zh", "zh"),
        ("ZH-hans-CN", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en;q=0.8, zh;q=0.9", "zh"),
        ("zh;q=0.8, en;q=0.9", "en"),
        ("fr, de;q=0.9, zh;q=0.1", "zh"),
        ("fr", "en"),
        ("zh;q=0", "en"),
        ("zh;q=0, en;q=0", "en"),
        ("zh;q=nan", "en"),
        ("zh;q=high", "en"),
        ("zhx", "en"),
        ("*", "en"),
        (";;,,=q", "en"),
        ("zh" + ",fr" * 1000, "zh"),
    ]
    for accept_language, language in cases:
        with subtests.test(accept_language=accept_language):
            assert preferred({"en", "zh"}, accept_language) == language
            headers = {} if accept_language is None else {"Accept-Language": accept_language}
            problem_of(client.get("/nothing", headers=headers), 404, "not_found", language)


def test_the_language_of_the_address_goes_first_where_there_is_one(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [("zh", "zh"), ("en", "en"), ("fr", "zh"), ("", "zh"), ("../en", "zh")]
    for query, language in cases:
        with subtests.test(query):
            response = client.get(
                "/nothing", params={"lang": query}, headers={"Accept-Language": "zh"}
            )
            problem_of(response, 404, "not_found", language)
