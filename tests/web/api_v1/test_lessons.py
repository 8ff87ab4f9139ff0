"""Exercises over REST: made from a seed, marked by the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.learn import BY_NAME
from attnscope.learn.exercises import exercises, format_answer
from tests.test_repo import messages

URL = "/api/v1/learn/scores"


COUNT = len(BY_NAME["scores"].exercises) + 1  # the last one is open
OPEN = {"sentences": True}


def first(*given: Any) -> list[Any]:
    """Of the first exercises; null of the others."""
    return [*given, *[None] * (COUNT - len(given))]


def marks(client: TestClient, body: dict[str, Any]) -> list[dict[str, Any]]:
    reply: list[dict[str, Any]] = client.post(f"{URL}/marks", json=OPEN | body).json()["marks"]
    return reply


def test_exercises_come_without_their_answers(client: TestClient) -> None:
    reply = client.get(f"{URL}/exercises?seed=3&sentences=true").json()
    assert (reply["chapter"], reply["seed"]) == ("scores", 3)
    assert [each["open"] for each in reply["exercises"]] == [False] * (COUNT - 1) + [True]
    for exercise in reply["exercises"]:
        assert not {"answer", "hint", "worked"} & exercise.keys()
        assert exercise["prompt"]


def test_open_exercises_come_on_request(client: TestClient) -> None:
    plain = client.get(f"{URL}/exercises?seed=3").json()["exercises"]
    assert [each["open"] for each in plain] == [False] * (COUNT - 1)
    answers = [None] * len(plain)
    found = client.post(f"{URL}/marks", json={"seed": 3, "answers": answers}).json()["marks"]
    assert len(found) == len(plain)


def parts_of(mark: dict[str, Any], *names: str) -> list[Any]:
    return [mark[name] for name in names]


def test_an_answer_is_marked_and_one_left_out_is_not_revealed(client: TestClient) -> None:
    one, other = (format_answer(each) for each in exercises(BY_NAME["scores"], 3)[:2])
    found = marks(client, {"seed": 3, "answers": first(one, "no such key")})
    assert [parts_of(mark, "right", "answer", "hint") for mark in found] == [
        [True, one, None], [False, other, None], *[[None, None, None]] * (COUNT - 2),
    ]  # fmt: skip
    assert [bool(mark["worked"]) for mark in found] == [bool(each) for each in first(True, True)]


def test_a_wrong_first_try_gets_a_hint_and_the_second_the_way_to_the_answer(
    client: TestClient,
) -> None:
    answer = format_answer(exercises(BY_NAME["scores"], 3)[0])
    body = {"seed": 3, "answers": first("12345")}
    (early, *_), (second, *_) = (marks(client, {**body, "tries": first(at)}) for at in (1, 2))
    assert parts_of(early, "right", "answer", "worked") == [False, None, None]
    assert "Multiply" in early["hint"]
    assert parts_of(second, "right", "answer", "hint") == [False, answer, None]
    assert "×" in second["worked"]
    assert second["worked"].endswith(f"= {answer}")


def test_a_try_that_is_no_number_reveals_nothing_and_a_near_miss_is_named(
    client: TestClient,
) -> None:
    answer = format_answer(exercises(BY_NAME["scores"], 3)[0]).replace("−", "-")
    body = {"seed": 3, "answers": first("many")}
    for at in (1, 2):
        (unread, *_) = marks(client, {**body, "tries": first(at)})
        assert unread.pop("unreadable") is True
        assert unread.pop("right") is False
        assert set(unread.values()) == {None}
    (open_try, *_) = marks(client, body)
    assert open_try["answer"] is not None
    body["answers"] = first(f"{-float(answer)}")
    (near, *_) = marks(client, {**body, "tries": first(1)})
    assert near["near"] == "The size is right. Look at the sign."
    assert not near["unreadable"]


def test_a_right_first_try_gets_the_way_too(client: TestClient) -> None:
    right = [format_answer(each) for each in exercises(BY_NAME["scores"], 3)]
    found = marks(client, {"seed": 3, "answers": [*right, None], "tries": [1] * COUNT})
    for mark in found[:-1]:
        assert mark["right"]
        assert mark["worked"]
        assert mark["hint"] is None


def test_a_sentence_of_ones_own_is_not_marked_and_shows_a_model_answer(
    client: TestClient,
) -> None:
    answers = [None] * (COUNT - 1)
    found = marks(client, {"seed": 3, "answers": [*answers, "because"], "tries": [1] * COUNT})
    assert parts_of(found[-1], "right", "hint", "near") == [None, None, None]
    assert len(found[-1]["answer"]) > 40
    assert marks(client, {"seed": 3, "answers": [*answers, None]})[-1]["answer"] is None


def test_a_wrong_reason_gets_a_reply_to_it(client: TestClient) -> None:
    posed = exercises(BY_NAME["scores"], 3)
    at, reason = next(one for one in enumerate(posed) if one[1].kind == "true_reason")
    wrong = next(choice for choice in reason.choices if choice != reason.answer)
    answers = [wrong if place == at else None for place in range(COUNT)]
    mark = marks(client, {"seed": 3, "answers": answers, "tries": [1] * COUNT})[at]
    assert parts_of(mark, "right", "answer") == [False, None]
    assert mark["near"] == messages("en")[reason.replies[wrong]]


def test_formulas_come_as_mathml_on_request(client: TestClient) -> None:
    url = "/api/v1/learn/scaling/exercises?seed=0"
    plain, html = (client.get(url + more).json()["exercises"] for more in ("", "&markup=true"))
    assert not any("<math" in str(each) for each in plain)
    assert "<msub><mi>d</mi><mi>k</mi></msub>" in html[0]["prompt"]
    body = {"seed": 0, "answers": ["no number", *[None] * (len(plain) - 1)], "markup": True}
    mark = client.post("/api/v1/learn/scaling/marks", json=body).json()["marks"][0]
    assert "<math" in mark["worked"]


def test_what_means_nothing_is_refused_with_its_place(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"answers": ["1"]}, "answers"),
        ({"seed": -1, "answers": []}, "seed"),
        ({"seed": 0, "answers": [1, 2, 3]}, "answers[0]"),
        ({"seed": 0, "answers": ["1" * 300, None, None]}, "answers[0]"),
        ({"seed": 0, "answers": [None] * 65}, "answers"),
        ({"seed": 0, "answers": [], "more": 1}, "more"),
        ({"answers": first("1"), "tries": [1]}, "tries"),
        ({"answers": first("1"), "tries": first(3)}, "tries[0]"),
        ({"answers": first("1"), "tries": [None] * 65}, "tries"),
    ]
    for body, at in cases:
        with subtests.test(body=body):
            response = client.post(f"{URL}/marks", json=OPEN | body)
            assert (response.status_code, response.json()["errors"][0]["at"]) == (422, at)


def test_a_chapter_that_is_not_there_is_404(client: TestClient) -> None:
    assert client.get("/api/v1/learn/nothing/exercises").json()["code"] == "not_found"


def test_a_chapter_at_a_glance_is_some_numbers_of_a_figure_of_it(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for name in BY_NAME:
        with subtests.test(name):
            reply = client.get(f"/api/v1/learn/{name}/glance").json()
            assert reply["figure"] in {figure.name for figure in BY_NAME[name].figures}
            assert 1 <= len(reply["values"]) <= 32
            assert 1 <= len(reply["values"][0]) <= 32


def test_a_glance_is_what_the_api_answers_to_the_figures_question(client: TestClient) -> None:
    reply = client.get("/api/v1/learn/masks/glance").json()
    body = {"text": "The animal didn't cross the street because it was too tired.", "causal": True}
    layer = client.post("/api/v1/attention", json=body).json()["layers"][0]
    assert (reply["figure"], reply["stage"]) == ("causal", "weights")
    weights = np.round(layer["weights"][0][0], 4)
    for row, cells in enumerate(reply["values"]):
        assert cells == [*weights[row, : row + 1], *[None] * (len(weights) - row - 1)]


def test_a_line_is_marked_and_revealed_on_request(client: TestClient) -> None:
    def mark(**body: Any) -> Any:
        return client.post("/api/v1/learn/lines", json=body)

    reply = mark(stage="scaled_scores", line="scores[i, j] / d_k").json()
    assert not reply["right"]
    assert reply["said"][0].startswith("In row 0, column 0 of a random question the line gives")
    assert "not by its root" in reply["said"][1]
    assert (reply["at"], reply["solution"]) == (None, None)
    reply = mark(stage="scaled_scores", line="scores[i, j] / sqrt(dk)", reveal=True).json()
    assert reply["said"] == ["There is no dk. Is d_k meant?"]
    assert (reply["at"], reply["solution"]) == (20, "scores[i, j] / sqrt(d_k)")
    assert mark(stage="scores", line=reply["solution"] and "x" * 10_000).status_code == 200
    assert mark(stage="output", line="1").status_code == 422


def test_stages_in_an_order_have_their_names(client: TestClient) -> None:
    asked = exercises(BY_NAME["scores"], 0)
    at, order = next((at, each) for at, each in enumerate(asked) if each.kind == "order_of_stages")
    for language in ("en", "zh"):
        names = [
            " → ".join(messages(language)[f"stage.{name}"] for name in choice.split(" → "))
            for choice in order.choices
        ]
        spoken = {"Accept-Language": language}
        posed = client.get(f"{URL}/exercises", headers=spoken).json()["exercises"][at]
        assert [choice["label"] for choice in posed["choices"]] == names
        answers = [None] * at + [order.answer] + [None] * (len(asked) - at - 1)
        reply = client.post(f"{URL}/marks", json={"answers": answers}, headers=spoken).json()
        mark = reply["marks"][at]
        assert mark["right"] is True
        assert mark["answer"] == names[order.choices.index(str(order.answer))]
        assert mark["worked"].endswith(mark["answer"])
