"""Every path tells all its methods, to OPTIONS and to whoever asks with another one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.client import ATTENTION, problem_of

PAGES = {"/": {"GET"}, "/learn": {"GET"}, "/api/openapi.json": {"GET"}}
OTHERS = ["PUT", "PATCH", "TRACE", "PROPFIND", "BREW"]


def methods(header: str) -> set[str]:
    return set(header.split(", "))


def paths_of(client: TestClient) -> dict[str, set[str]]:
    """The methods of every path: those of the OpenAPI document, and those of some pages."""
    described = client.get("/api/openapi.json").json()["paths"].items()
    return {path: {each.upper() for each in methods} for path, methods in described} | PAGES


def allowed(methods: set[str]) -> set[str]:
    return methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())


def test_options_names_all_methods_of_a_path(client: TestClient, subtests: pytest.Subtests) -> None:
    for path, its in paths_of(client).items():
        with subtests.test(path):
            response = client.options(re.sub(r"\{\w+\}", "x", path))
            assert response.status_code == 204
            assert response.content == b""
            assert methods(response.headers["allow"]) == allowed(its)


def test_another_method_is_answered_with_those_there_are(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path, its in paths_of(client).items():
        with subtests.test(path):
            others = {"GET", "POST", "DELETE", *OTHERS[:2]} - its
            for method in others:
                response = client.request(method, re.sub(r"\{\w+\}", "x", path))
                problem_of(response, 405, "method_not_allowed")
                assert methods(response.headers["allow"]) == allowed(its)


def test_a_method_that_nobody_knows_is_answered_with_those_there_are(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for method in OTHERS:
        with subtests.test(method):
            response = client.request(method, "/api/v1/models/x")
            problem_of(response, 405, "method_not_allowed")
            assert response.headers["allow"] == "GET, HEAD, DELETE, OPTIONS"


def test_what_is_not_there_has_no_methods(client: TestClient) -> None:
    assert client.options("/nothing").status_code == 404
    assert "allow" not in client.options("/api/v1").headers


def test_a_static_file_lists_its_methods(client: TestClient) -> None:
    at = re.search(r'"(/static/[^"]+\.css)"', client.get("/").text)
    assert at
    assert client.options(at[1]).status_code == 204
    for response in (client.options(at[1]), client.post(at[1])):
        assert response.headers["allow"] == "GET, HEAD, OPTIONS"


def test_options_store_nothing_and_open_no_door(client: TestClient, data: Path) -> None:
    preflight = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    response = client.options(ATTENTION, headers=preflight)
    assert not [name for name in response.headers if name.startswith("access-control")]
    assert not (data / "questions.sqlite").exists()
