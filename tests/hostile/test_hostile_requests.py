"""Requests with very many faults, or very large ones: one complaint, and no more memory than was
counted before they were read."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient

from attnscope.weights.json_cost import cost_of_json
from tests.web.client import ATTENTION, JSON, TRACES, serving_app, stored

MANY = 50_000
MIB = 2**20


def a(**fields: Any) -> dict[str, Any]:
    return {"text": "a", **fields}


NAMES = {f"field {i}": i for i in range(MANY)}
BODIES: dict[str, Any] = {
    "names that nobody knows": NAMES,
    "names that the model does not know": a(model={"source": "seeded", **NAMES}),
    "names in a list": a(blocked=[NAMES]),
    "objects in objects": {str(i): {str(j): {} for j in range(100)} for i in range(100)},
    "one long name": a(**{"n" * MIB: 1}),
    "a long text for a number": a(prefix="1" * MIB),
    "a long text for a choice": a(tokenizer="w" * MIB),
    "a long text for a source": a(model={"source": "s" * MIB}),
    "a long text for a scale": a(scale="s" * MIB),
    "a long list for a number": a(prefix=[[1]] * MANY),
    "a body that is a list": [[]] * MANY,
    **{f"wrong {name}": a(**{name: [{}] * MANY}) for name in ("stages", "layers", "heads")},
    "wrong blocked cells": a(blocked=[[0, "0"]] * MANY),
    "wrong texts": {"text": [1] * MANY},
    "wrong tokens": {"tokens": [["a"]] * MANY + [3]},
}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    folder = tmp_path_factory.mktemp("data")
    with serving_app(folder) as client:
        client.post(ATTENTION, json={"x": [["a"]]})  # what every first refusal makes
        yield client, folder


def test_a_monstrous_request_costs_no_more_than_was_counted(
    one: tuple[TestClient, Path], subtests: pytest.Subtests
) -> None:
    client, folder = one
    for what, question in BODIES.items():
        with subtests.test(what):
            body = orjson.dumps(question)
            # The client keeps the body a few times over; orjson reserves twelve times as much.
            most = cost_of_json(body) + 16 * len(body) + MIB
            tracemalloc.start()
            try:
                response = client.post(TRACES, content=body, headers={"Content-Type": JSON})
                assert tracemalloc.get_traced_memory()[1] < most
            finally:
                tracemalloc.stop()
            assert response.status_code == 422, response.text[:400]
            assert len(response.json()["errors"]) <= 3
            assert len(response.content) < 3000
            assert stored(folder) == ([], 0)
