"""Query parameters: each route refuses those that it does not know."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.web.client import TRACES, openapi_document, problem_of

PAGES = [
    "/", "/embed", "/compare", "/learn", "/learn/scores", "/learn/scores/worksheet", "/models",
    "/models/echo", "/api", "/api/openapi.json", "/problems/busy", "/sign-in",
]  # fmt: skip


def operations() -> list[tuple[str, str, list[str]]]:
    """Method, path and names of the query parameters of each operation."""
    return [
        (method, re.sub(r"[{}]", "", path), [
            one["name"] for one in operation["parameters"] if one["in"] == "query"
        ])
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    ]  # fmt: skip


def refused(response: Any, *names: str, language: str = "en") -> str:
    """The first sentence about these parameters, each of which has one."""
    body = problem_of(response, 422, "invalid_request", language)
    assert [one["at"] for one in body["errors"]] == [f"query.{name}" for name in names]
    sentence: str = body["errors"][0]["message"]
    return sentence


def test_every_operation_refuses_what_it_does_not_know_and_names_what_it_knows(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for method, path, known in operations():
        with subtests.test(method=method, path=path):
            assert len(set(known)) == len(known)
            sentence = refused(client.request(method, path, params={"layr": 3}), "layr")
            assert "layr" in sentence
            assert f" {', '.join(known)}." in sentence


def test_every_operation_refuses_a_parameter_that_comes_twice(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for method, path, known in operations():
        for name in known:
            with subtests.test(method=method, path=path, name=name):
                twice = client.request(method, path, params=[(name, "0"), (name, "0")])
                assert "2" in refused(twice, name)


def test_every_page_refuses_what_it_does_not_know(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path in PAGES:
        with subtests.test(path):
            assert "lang" in refused(client.get(path, params={"layr": 3}), "layr")
            assert client.head(path, params={"layr": 3}).status_code == 422
            assert client.options(path, params={"layr": 3}).status_code == 204
            known = client.get(path, params={"lang": "zh"}, follow_redirects=False)
            assert known.status_code < 400


def test_a_browser_gets_a_page_with_a_link_to_what_remains(client: TestClient) -> None:
    asked = {"Accept": "text/html", "Accept-Language": "zh"}
    page = client.get("/?text=a+%26+b&layr=3&head=1&head=2&lang=en", headers=asked)
    assert page.status_code == 422
    assert page.headers["content-type"].startswith("text/html")
    assert "There is no parameter layr here" in page.text
    assert 'href="/?text=a+%26+b&amp;lang=en"' in page.text


def test_all_faults_of_a_query_are_named(client: TestClient) -> None:
    reply = client.get(f"{TRACES}/none/rollout?pos=2&layer=0&layer=1&heads=3&lang=zh")
    assert "pos" in refused(reply, "pos", "layer", "heads", language="zh")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("stages/weights", {"layr": 3}),
        ("predictions", {"layer": 0}),
        ("rollout", {"head_fusion": "max"}),
        ("heads", {"pos": 2}),
        ("heads", {"": ""}),
    ],
)
def test_a_parameter_of_another_question_is_not_ignored(
    client: TestClient, path: str, query: dict[str, Any]
) -> None:
    trace = client.post(TRACES, json={"text": "a b"}).json()["trace"]
    refused(client.get(f"{TRACES}/{trace}/{path}", params=query), *query)


def test_what_the_page_sends_is_known(client: TestClient) -> None:
    trace = client.post(f"{TRACES}?lang=zh", json={"text": "a b"}).json()["trace"]
    query = {"layer": 0, "head": 0, "release": openapi_document()["info"]["version"], "lang": "en"}
    reply = client.get(f"{TRACES}/{trace}/stages/weights", params=query)
    assert reply.status_code == 200
    assert "immutable" in reply.headers["cache-control"]


@given(st.lists(st.tuples(st.text(max_size=100), st.text(max_size=9)), min_size=1, max_size=30))
def test_no_query_is_a_fault_of_the_server(
    client: TestClient, query: list[tuple[str, Any]]
) -> None:
    reply = client.get("/healthz", params=query)
    if any(name != "lang" for name, _ in query) or len(query) > 1:
        assert len(reply.content) < 40_000
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")
