"""GET /traces/{id}/rollout."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.analysis.rollout import Fusion, rollout
from tests.web.client import problem_of
from tests.web.conftest import MakeClient

MODEL = {"source": "seeded", "num_layers": 3, "block": "residual"}
BODY: dict[str, Any] = {"text": ["one two three", "four five"], "model": MODEL}


def named(client: TestClient, body: dict[str, Any] = BODY) -> str:
    return f"/api/v1/traces/{client.post('/api/v1/traces', json=body).json()['trace']}/rollout"


def test_there_is_a_map_up_to_every_layer(client: TestClient) -> None:
    reply = client.get(f"{named(client)}?batch=1").json()
    assert (reply["batch"], reply["residual"], reply["layers"]) == (1, 0.5, [0, 1, 2])
    maps = np.array(reply["maps"])
    assert maps.shape == (3, 3, 3)
    np.testing.assert_allclose(maps.sum(axis=2), 1, rtol=1e-14)
    alone = client.get(f"{named(client)}?batch=1&layer=1").json()
    assert (alone["layers"], alone["maps"]) == ([1], reply["maps"][1:2])


def test_the_maps_come_raw_too(client: TestClient) -> None:
    path = named(client)
    response = client.get(path, headers={"Accept": "application/x-safetensors"})
    arrays = load(response.content)
    assert sorted(arrays) == [f"layers.{i}.rollout" for i in range(3)]
    np.testing.assert_array_equal(arrays["layers.2.rollout"], client.get(path).json()["maps"][2])


def test_heads_come_together_by_their_maximum_and_without_the_lowest(client: TestClient) -> None:
    path = named(client)
    for combine, discard in product(get_args(Fusion), (0, 0.9)):
        reply = client.get(f"{path}?batch=0&combine={combine}&discard={discard}").json()
        assert (reply["combine"], reply["discard"]) == (combine, discard)
        layers = [
            np.array([client.get(path.replace("rollout", f"stages/weights?layer={i}&head={head}"))
                      .json()["values"] for head in range(4)])
            for i in range(3)
        ]  # fmt: skip
        np.testing.assert_allclose(
            reply["maps"], list(rollout(layers, combine, discard)), rtol=1e-14
        )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "at"),
    [("layer=3", "layer"), ("batch=2", "batch"), ("combine=min", "combine"),
     ("discard=1", "discard"), ("discard=-0.1", "discard"), ("discard=nan", "discard")],
)  # fmt: skip
def test_what_is_not_there_is_refused(client: TestClient, query: str, at: str) -> None:
    problem = problem_of(client.get(f"{named(client)}?{query}"), 422, "invalid_request")
    assert problem["errors"][0]["at"] == at


def test_a_context_has_no_rollout(client: TestClient) -> None:
    path = named(client, {"text": "one two", "context": "three four"})
    problem = problem_of(client.get(path), 422, "invalid_request")
    assert "context" in problem["detail"]


def test_maps_too_large_for_json_lead_to_one_layer_or_raw(make_client: MakeClient) -> None:
    client = make_client(max_json_numbers=26)
    path = named(client)
    problem_of(client.get(path), 413, "too_large")
    assert client.get(f"{path}?layer=2").status_code == 200
    assert client.get(f"{path}?format=safetensors").status_code == 200
