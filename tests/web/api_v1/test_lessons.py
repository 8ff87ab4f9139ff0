"""Exercises over REST: made from a seed, marked by the engine."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.learn import BY_NAME
from app.learn.exercises import exercises, shown

URL = "/api/v1/learn/scores"


def marks(client: TestClient, body: dict[str, Any]) -> list[dict[str, Any]]:
    reply: list[dict[str, Any]] = client.post(f"{URL}/marks", json=body).json()["marks"]
    return reply


def test_exercises_come_without_their_answers(client: TestClient) -> None:
    reply = client.get(f"{URL}/exercises?seed=3").json()
    assert (reply["chapter"], reply["seed"]) == ("scores", 3)
    assert len(reply["exercises"]) == len(BY_NAME["scores"].exercises)
    for exercise in reply["exercises"]:
        assert "answer" not in exercise
        assert exercise["prompt"]


def test_an_answer_is_marked_and_one_left_out_is_not_revealed(client: TestClient) -> None:
    first = shown(exercises(BY_NAME["scores"], 3)[0])
    told = marks(client, {"seed": 3, "answers": [first, "no such key", None]})
    assert told == [
        {"right": True, "answer": first},
        {"right": False, "answer": shown(exercises(BY_NAME["scores"], 3)[1])},
        {"right": None, "answer": None},
    ]


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({"answers": ["1"]}, "answers"),
        ({"seed": -1, "answers": []}, "seed"),
        ({"seed": 0, "answers": [1, 2, 3]}, "answers[0]"),
        ({"seed": 0, "answers": ["1" * 300, None, None]}, "answers[0]"),
        ({"seed": 0, "answers": [None] * 65}, "answers"),
        ({"seed": 0, "answers": [], "more": 1}, "more"),
    ],
)
def test_what_means_nothing_is_refused_with_its_place(
    client: TestClient, body: dict[str, Any], at: str
) -> None:
    response = client.post(f"{URL}/marks", json=body)
    assert (response.status_code, response.json()["errors"][0]["at"]) == (422, at)


def test_a_chapter_that_is_not_there_is_404(client: TestClient) -> None:
    assert client.get("/api/v1/learn/nothing/exercises").json()["code"] == "not_found"
