"""Texts where numbers belong: numpy would give each of them the room of the longest."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from attnscope.attention.architecture import TENSORS
from attnscope.errors import AttnscopeError
from attnscope.weights.upload import read_upload
from tests.web.client import ATTENTION, TRACES, serving_app, stored

EYE = [[1, 0], [0, 1]]
ROW = ["a" * 20_000, *[""] * 999]  # 24 KB as JSON; 80 MB as an array of texts
MOST = 4 * 2**20


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    folder = tmp_path_factory.mktemp("data")
    with serving_app(folder) as client:
        client.post(ATTENTION, json={"x": [["a"]]})  # what every first refusal makes
        yield client, folder


def explicit(name: str, value: Any) -> dict[str, Any]:
    matrices = dict.fromkeys(("w_q", "w_k", "w_v"), EYE)
    return {"x": EYE, "model": {"source": "explicit", **matrices, name: value}}


BODIES = {
    "x": {"x": [ROW]},
    "x of a batch": {"x": [[ROW]]},
    "x, numbers first": {"x": [[1.0, *ROW]]},
    "context_x": {"text": "a", "context_x": [ROW]},
    **{name: explicit(name, ROW if name[0] == "b" else [ROW]) for name in TENSORS},
}


def test_texts_for_numbers_cost_no_more_than_they_are_long(
    one: tuple[TestClient, Path], subtests: pytest.Subtests
) -> None:
    client, folder = one
    for what, body in BODIES.items():
        with subtests.test(what):
            tracemalloc.start()
            try:
                response = client.post(TRACES, json=body)
                assert tracemalloc.get_traced_memory()[1] < MOST
            finally:
                tracemalloc.stop()
            assert response.status_code == 422, response.text[:400]
            assert "must hold numbers only" in response.json()["detail"]
            assert stored(folder) == ([], 0)


def test_texts_for_a_cotangent_cost_no_more_than_they_are_long(tmp_path: Path) -> None:
    with serving_app(tmp_path) as client:
        trace = client.post(TRACES, json={"text": "a b"}).json()["trace"]
        objective = {"kind": "custom", "cotangent": [ROW]}
        tracemalloc.start()
        try:
            url = f"{TRACES}/{trace}/gradients"
            response = client.post(url, json={"objective": objective})
            assert tracemalloc.get_traced_memory()[1] < MOST
        finally:
            tracemalloc.stop()
    assert response.status_code == 422
    assert response.json()["errors"][0]["at"] == "objective.cotangent"


def test_texts_for_weights_cost_no_more_than_they_are_long() -> None:
    data = json.dumps({"w_q": [ROW], "w_k": EYE, "w_v": EYE}).encode()
    tracemalloc.start()
    try:
        with pytest.raises(AttnscopeError) as error:
            read_upload([("w.json", data)])
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
    assert error.value.reason == "not_numbers"
