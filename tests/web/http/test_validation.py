"""pydantic's complaints as ours: one a place, in the words of the request."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from attnscope.errors import InvalidRequest
from attnscope.web.api_v1.gradients import GradientsRequest
from attnscope.web.api_v1.lessons import MarksRequest
from attnscope.web.http.validation import (
    LONGEST_NAME,
    MOST_NAMES,
    MOST_PLACES,
    check_fields,
    from_validation,
)
from attnscope.web.serializers.request import AttentionRequest
from tests.web.client import ATTENTION, posted, problem_of, refused


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sizes: list[int] = []
    seed: int = Field(0, ge=0)


class Outer(BaseModel):
    model: Inner = Inner()
    text: str


def complaints(body: object) -> list[tuple[str | None, str]]:
    """Place and reason of every fault of a body."""
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(body)
    return [(one.at, one.reason) for one in from_validation(caught.value, body)]


def test_a_fault_is_named_at_its_place(subtests: pytest.Subtests) -> None:
    cases = [
        ({}, [("text", "missing")]),
        ({"text": 1}, [("text", "not_a_text")]),
        ({"text": "a", "model": 3}, [("model", "not_an_object")]),
        ({"text": "a", "model": {"seed": -1}}, [("model.seed", "too_small")]),
        ({"text": "a", "model": {"seeds": 1}}, [("model.seeds", "unknown_field")]),
        ({"text": "a", "model": {"sizes": [1, "b"]}}, [("model.sizes[1]", "not_an_integer")]),
        ([], [("body", "not_an_object")]),
    ]
    for body, found in cases:
        with subtests.test(body=body):
            assert complaints(body) == found


def test_what_is_wrong_in_a_list_is_named_and_not_that_it_is_one(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"text": ["a", 3]}, "text[1]"),
        ({"text": {}}, "text"),
        ({"text": "a", "global_tokens": [1.5]}, "global_tokens[0]"),
        ({"text": "a", "position_ids": [[0, 1], 3]}, "position_ids[1]"),
        ({"text": "a", "window": [2]}, "window"),
    ]
    for body, at in cases:
        with subtests.test(body=body):
            reply = client.post(ATTENTION, json=body).json()
            assert [one["at"] for one in reply["errors"]] == [at]


def test_endless_faults_are_cut() -> None:
    body = {"text": "a", "model": {"sizes": ["b"] * 1000}}
    assert len(complaints(body)) == MOST_PLACES


def test_several_wrong_fields_are_named_at_once(client: TestClient) -> None:
    question = {
        "text": 3, "windw": 1, "prefix": -1, "scale": "big",
        "model": {"source": "seeded", "seed": "0", "num_heads": 0},
    }  # fmt: skip
    body = refused(client, posted(question), 422, "invalid_request")
    places = [error["at"] for error in body["errors"]]
    assert sorted(places) == [
        "model.num_heads", "model.seed", "prefix", "scale", "text", "windw",
    ]  # fmt: skip
    assert body["detail"] == body["errors"][0]["message"]


def test_a_list_that_is_too_long_or_too_short_is_refused_with_its_limit(client: TestClient) -> None:
    text = {"text": "the cat sat"}
    for field, limit in (({"knockouts": []}, "≥ 1"), ({"blocked": [[0, 1, 2]]}, "≤ 2")):
        [error] = refused(client, posted({**text, **field}), 422, "invalid_request")["errors"]
        assert f"give {limit}." in error["message"]


def test_a_value_is_shown_as_the_json_it_came_as(client: TestClient) -> None:
    for value, shown in ((None, "null"), (True, "true"), ("猫", '"猫"'), ([1], "[1]")):
        response = client.post(ATTENTION, json={"text": "a", "prefix": value})
        body = problem_of(response, 422, "invalid_request") if value != "猫" else response.json()
        assert f"prefix is {shown}:" in body["detail"]


def test_of_a_long_value_no_more_is_written_than_is_shown(subtests: pytest.Subtests) -> None:
    cases = [
        (1, "1"),
        ("a" * 38, f'"{"a" * 38}"'),
        ("a" * 39, f'"{"a" * 38}…'),
        ([], "[]"),
        ({}, "{}"),
        ([1, ["a", None], {"b": True}], '[1, ["a", null], {"b": true}]'),
        (["ab"] * 20, '["ab", "ab", "ab", "ab", "ab", "ab", "a…'),
        ("a" * 10**7, f'"{"a" * 38}…'),
        ([[]] * 10**6, f"{'[[], [], [], [], [], [], [], [], [], [], '[:39]}…"),
        ({"a" * 10**7: 1}, f'{{"{"a" * 37}…'),
    ]
    for value, shown in cases:
        with subtests.test(value=value):
            with pytest.raises(ValidationError) as caught:
                Inner.model_validate({"seed": value} if value != 1 else {"sizes": 1})
            tracemalloc.start()
            try:
                (error,) = from_validation(caught.value, None)
                assert tracemalloc.get_traced_memory()[1] < 100_000
            finally:
                tracemalloc.stop()
            assert error.values["given"] == shown


def test_a_value_may_lie_deeper_than_python_goes() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValidationError) as caught:
        Inner.model_validate({"seed": value})
    (error,) = from_validation(caught.value, None)
    assert error.values["given"] == "[" * 39 + "…"


def test_a_long_name_is_shown_in_part() -> None:
    (found,) = complaints({"text": "a", "model": {"n" * 10_000: 1}})
    assert found == (f"model.{'n' * LONGEST_NAME}", "unknown_field")


def test_more_names_than_any_request_has_are_one_fault(subtests: pytest.Subtests) -> None:
    cases = [
        {f"f{i}": 1 for i in range(MOST_NAMES + 1)},
        {"text": "a", "model": {f"f{i}": 1 for i in range(MOST_NAMES)}},
        {str(i): {str(j): {} for j in range(MOST_NAMES // 2)} for i in range(2)},
    ]
    for body in cases:
        with subtests.test(body=body):
            with pytest.raises(InvalidRequest) as error:
                check_fields(body)
            assert (error.value.reason, error.value.at) == ("too_many_fields", "body")


def test_other_bodies_are_left_to_their_models(subtests: pytest.Subtests) -> None:
    cases = [
        {str(i): 1 for i in range(MOST_NAMES)},
        {"blocked": [{str(i): 1 for i in range(MOST_NAMES + 1)}]},
        [{}] * 10,
        None,
        "text",
    ]
    for body in cases:
        with subtests.test(body=body):
            check_fields(body)


WRONG: list[Any] = [None] * 10**6
SUM = {"kind": "sum"}
LISTS: dict[str, tuple[type[BaseModel], dict[str, Any]]] = {
    **{
        name: (AttentionRequest, {name: WRONG})
        for name in (
            "text", "tokens", "context", "context_tokens", "blocked", "drop", "stages", "layers",
            "heads",
        )
    },
    "rows of tokens": (AttentionRequest, {"tokens": [WRONG]}),
    "many rows of tokens": (AttentionRequest, {"tokens": [[None]] * 10**6}),
    "many blocked cells": (AttentionRequest, {"blocked": [[None, None]] * 10**6}),
    "many dropped heads": (AttentionRequest, {"drop": [[None, None]] * 10**6}),
    "a long blocked cell": (AttentionRequest, {"blocked": [WRONG]}),
    "stages of gradients": (GradientsRequest, {"objective": SUM, "stages": WRONG}),
    "layers of gradients": (GradientsRequest, {"objective": SUM, "layers": WRONG}),
    "heads of gradients": (GradientsRequest, {"objective": SUM, "heads": WRONG}),
    "answers": (MarksRequest, {"answers": [1] * 10**6}),
    "long answers": (MarksRequest, {"answers": ["a" * 300] * 64}),
}  # fmt: skip


def test_a_million_wrong_entries_are_one_complaint(subtests: pytest.Subtests) -> None:
    for what, (model, body) in LISTS.items():
        with subtests.test(what):
            with pytest.raises(ValidationError) as caught:
                model.model_validate(body)
            # Pydantic has one complaint for each branch of a union and each number of a cell.
            assert caught.value.error_count() <= 3


def test_a_selection_has_an_end(subtests: pytest.Subtests) -> None:
    for name in ("stages", "layers", "heads"):
        with subtests.test(name):
            right = ["x"] if name == "stages" else [0]
            with pytest.raises(ValidationError) as caught:
                AttentionRequest.model_validate({name: right * 5000})
            assert [error["type"] for error in caught.value.errors()] == ["too_long"]
