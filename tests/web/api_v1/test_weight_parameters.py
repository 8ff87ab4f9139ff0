"""Weights without some keys: `skip` of stages, pictures, thumbnails, together and rollout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.analysis.rollout import rollout
from tests.web.client import TRACES, problem_of

MODEL = {"source": "seeded", "num_layers": 2, "num_heads": 2, "d_model": 16, "block": "residual"}
SKIP = [0, 2]
ASKED = "skip=2_0_2"


def traced(client: TestClient, body: dict[str, Any]) -> str:
    return f"{TRACES}/{client.post(TRACES, json={'model': MODEL, **body}).json()['trace']}"


def plainly(weights: list[list[float]]) -> list[list[float]]:
    """A map without SKIP, in lists."""
    rest = [[0.0 if j in SKIP else one for j, one in enumerate(row)] for row in weights]
    return [[one / sum(row) if sum(row) else 0.0 for one in row] for row in rest]


def test_what_shows_weights_leaves_keys_out_and_divides_the_rest(client: TestClient) -> None:
    trace = traced(client, {"text": "one two three four five"})
    maps = np.zeros((2, 2, 5, 5))
    for layer, head in np.ndindex(2, 2):
        path = f"{trace}/stages/weights?layer={layer}&head={head}"
        maps[layer, head] = plainly(client.get(path).json()["values"])
        block = client.get(f"{path}&rows=2:5&cols=1:4&{ASKED}").json()["values"]
        np.testing.assert_allclose(block, maps[layer, head, 2:5, 1:4], rtol=1e-14)
    assert maps[0, 0, 4].sum() == pytest.approx(1)

    picture = client.get(f"{trace}/pictures/weights?layer=1&head=1&{ASKED}").json()["values"]
    np.testing.assert_allclose(picture, maps[1, 1], rtol=1e-6)
    small = client.get(f"{trace}/thumbnails/weights?{ASKED}")
    low, high = map(float, small.headers["x-range"].split(","))
    bits = np.frombuffer(small.content, np.uint8).reshape(2, 2, 5, 5)
    assert (bits[..., SKIP] == 255).all()
    there = bits != 255
    step = (high - low) / 254
    np.testing.assert_allclose(low + step * bits[there], maps[there], atol=step)

    about = client.get(f"{trace}/map/weights?layer=1&head=1&{ASKED}").json()
    there = maps[1, 1][maps[1, 1] > 0]
    assert [about["min"], about["max"]] == pytest.approx([there.min(), there.max()])
    tile = client.get(f"{trace}/tiles/weights/1/1/0/0/0?{ASKED}").json()["values"]
    np.testing.assert_allclose(tile, maps[1, 1], rtol=1e-6)

    reply = client.get(f"{trace}/together?heads=0.1_1.0&{ASKED}")
    assert reply.json()["skip"] == SKIP
    np.testing.assert_allclose(reply.json()["weights"], (maps[0, 1] + maps[1, 0]) / 2, rtol=1e-14)
    assert reply.headers["content-disposition"].endswith('-mean-without-0_2.json"')
    alone = client.get(f"{trace}/together?heads=1.0&{ASKED}&format=csv")
    assert alone.headers["content-disposition"].endswith('-layer1-head0-without-0_2.csv"')
    for path, field in (("rollout?combine=max&layer=1", "maps"), ("rollout?layer=1", "maps"),
                        ("together?combine=rollout&layer=1", "weights")):  # fmt: skip
        *_, expected = rollout(list(maps), "max" if "max" in path else "mean")
        mixed = np.array(client.get(f"{trace}/{path}&{ASKED}").json()[field])
        np.testing.assert_allclose(mixed.reshape(5, 5), expected, rtol=1e-14)


def test_files_have_the_weights_without_keys(client: TestClient) -> None:
    trace = traced(client, {"text": "one two three four five"})
    whole = client.get(f"{trace}/export?stages=weights&layer=1").json()["layers"][0]["weights"][0]
    expected = [plainly(one) for one in whole]
    reply = client.get(f"{trace}/export?layer=1&{ASKED}")
    assert reply.json()["skip"] == SKIP
    np.testing.assert_allclose(reply.json()["layers"][0]["weights"][0], expected, rtol=1e-14)
    assert reply.headers["content-disposition"].endswith('-weights-layer1-without-0_2.json"')
    lines = client.get(f"{trace}/export?layer=1&head=1&format=csv&{ASKED}").text.splitlines()
    values = [float(line.split(",")[6]) for line in lines[1:]]
    np.testing.assert_allclose(np.reshape(values, (5, 5)), expected[1], rtol=1e-14)


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("stages/weights?skip=5", "0 to 4"),
        ("rollout?skip=5", "0 to 4"),
        ("together?heads=0.0&skip=5", "0 to 4"),
        ("thumbnails/weights?skip=5", "0 to 4"),
        ("stages/weights?skip=-1", "skip"),
        ("stages/scores?skip=0", "stage weights"),
        ("pictures/q?skip=0", "stage weights"),
        ("map/scores?skip=0", "stage weights"),
        ("tiles/weights/0/0/0/0/0?skip=5", "0 to 4"),
        ("export?skip=0&stages=weights,scores", "stage weights"),
        ("export?skip=0&format=py", "without parameters"),
        ("export?skip=0&parameters=true", "without parameters"),
        ("export?skip=0&tokens=words", "tokens=words"),
        ("pictures/weights?skip=0&tokens=words", "tokens=words"),
        ("stages/weights?skip=0&tokens=words", "tokens=words"),
    ],
)
def test_what_cannot_be_left_out_is_refused(client: TestClient, path: str, detail: str) -> None:
    trace = traced(client, {"text": "one two three four five"})
    problem = problem_of(client.get(f"{trace}/{path}"), 422, "invalid_request")
    assert problem["errors"][0]["at"] == "skip"
    assert detail in problem["detail"]


def test_layers_with_fewer_keys_than_others_are_shown_too(client: TestClient) -> None:
    body = {"text": "a b", "context": "c d e f", "model": {**MODEL, "block": "decoder"}}
    trace = traced(client, body)
    rows = client.get(f"{trace}/stages/weights?layer=0&skip=3").json()["values"]
    assert rows == client.get(f"{trace}/stages/weights?layer=0").json()["values"]
    assert client.get(f"{trace}/thumbnails/weights?skip=3").status_code == 200
