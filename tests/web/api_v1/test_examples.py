"""GET /examples: published figures beside ours, and questions that can be asked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import ATTENTION, CHINESE

URL = "/api/v1/examples"
GOLDEN = Path(__file__).resolve().parent.parent.parent / "golden/worked_examples.json"


@pytest.fixture(scope="module")
def listed(client: TestClient) -> list[dict[str, Any]]:
    examples: list[dict[str, Any]] = client.get(URL).json()["examples"]
    return examples


def test_every_worked_example_is_there(listed: list[dict[str, Any]]) -> None:
    golden = {entry["id"] for entry in json.loads(GOLDEN.read_text(encoding="utf-8"))}
    assert golden <= {example["id"] for example in listed}
    assert len({example["id"] for example in listed}) == len(listed)


def test_a_figure_says_whether_it_agrees_and_why_not(listed: list[dict[str, Any]]) -> None:
    figures = [figure for example in listed for figure in example["figures"]]
    assert {figure["agrees"] for figure in figures} == {True, False}
    for figure in figures:
        assert list(figure) == ["stage", "at", "published", "computed", "agrees", "why"]
        assert figure["published"] is not None
        assert figure["computed"] is not None
        assert figure["agrees"] or len(figure["why"]) > len("because")


def test_every_question_can_be_asked(client: TestClient, listed: list[dict[str, Any]]) -> None:
    questions = [example["question"] for example in listed if example["question"]]
    assert len(questions) > 4
    for question in questions:
        assert client.post(ATTENTION, json=question).status_code == 200


def test_an_example_is_in_the_readers_language(client: TestClient) -> None:
    for language in ("en", "zh"):
        response = client.get(URL, headers={"Accept-Language": language})
        assert "Accept-Language" in response.headers["vary"]
        for example in response.json()["examples"]:
            why = [figure["why"] for figure in example["figures"] if figure["why"]]
            for sentence in (example["title"], example["about"], *why):
                assert sentence
                assert not sentence.startswith("examples.")
            assert bool(CHINESE.search(example["about"])) == (language == "zh")


def test_examples_that_the_caller_holds_are_not_sent_again(client: TestClient) -> None:
    english = client.get("/api/v1/examples", headers={"Accept-Language": "en"})
    held = {"If-None-Match": english.headers["etag"]}
    again = client.get("/api/v1/examples", headers={"Accept-Language": "en", **held})
    assert (again.status_code, again.content) == (304, b"")
    chinese = client.get("/api/v1/examples", headers={"Accept-Language": "zh", **held})
    assert chinese.status_code == 200
