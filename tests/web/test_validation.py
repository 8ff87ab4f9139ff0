"""pydantic's complaints as ours: one a place, in the words of the request."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.web.validation import MOST_PLACES, from_validation
from tests.web.client import ATTENTION, posted, refused, told


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


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, [("text", "missing")]),
        ({"text": 1}, [("text", "not_a_text")]),
        ({"text": "a", "model": 3}, [("model", "not_an_object")]),
        ({"text": "a", "model": {"seed": -1}}, [("model.seed", "too_small")]),
        ({"text": "a", "model": {"seeds": 1}}, [("model.seeds", "unknown_field")]),
        ({"text": "a", "model": {"sizes": [1, "b"]}}, [("model.sizes[1]", "not_an_integer")]),
        ([], [("body", "not_an_object")]),
    ],
)
def test_a_fault_is_told_at_its_place(body: object, found: list[tuple[str, str]]) -> None:
    assert complaints(body) == found


def test_endless_faults_are_cut() -> None:
    body = {"text": "a", "model": {"sizes": ["b"] * 1000}}
    assert len(complaints(body)) == MOST_PLACES


def test_several_wrong_fields_are_told_at_once(client: TestClient) -> None:
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


def test_a_value_is_shown_as_the_json_it_came_as(client: TestClient) -> None:
    for value, shown in ((None, "null"), (True, "true"), ("猫", '"猫"'), ([1], "[1]")):
        response = client.post(ATTENTION, json={"text": "a", "prefix": value})
        body = told(response, 422, "invalid_request") if value != "猫" else response.json()
        assert f"prefix is {shown}:" in body["detail"]
