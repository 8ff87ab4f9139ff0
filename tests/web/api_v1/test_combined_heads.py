"""GET /traces/{id}/together: several heads, or the layers, as one file."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from tests.web.client import TRACES, problem_of

MODEL = {"source": "seeded", "num_layers": 3, "num_heads": 4, "d_model": 16, "block": "residual"}
BODY: dict[str, Any] = {"text": ["one two three", "four five"], "model": MODEL}
HEADS = [(0, 1), (2, 3), (2, 0)]
ASKED = "_".join(f"{layer}.{head}" for layer, head in HEADS)


def traced(client: TestClient, body: dict[str, Any] = BODY) -> str:
    return f"{TRACES}/{client.post(TRACES, json=body).json()['trace']}"


def maps(client: TestClient, trace: str, batch: int) -> np.ndarray:
    """The weights of HEADS, each asked for alone."""
    path = f"{trace}/stages/weights?batch={batch}"
    blocks = [client.get(f"{path}&layer={layer}&head={head}").json() for layer, head in HEADS]
    return np.array([block["values"] for block in blocks])


def test_heads_are_joined_cell_by_cell_in_every_format(client: TestClient) -> None:
    trace = traced(client)
    for combine, by in (("mean", np.mean), ("max", np.max)):
        path = f"{trace}/together?heads={ASKED}&combine={combine}&batch=1"
        expected = by(maps(client, trace, 1), axis=0)
        told_map = client.get(path).json()
        np.testing.assert_allclose(told_map["weights"], expected, rtol=1e-14)
        assert (told_map["combine"], told_map["heads"], told_map["batch"]) == (combine, ASKED, 1)
        raw = load(client.get(f"{path}&format=safetensors").content)["weights"]
        with np.load(io.BytesIO(client.get(f"{path}&format=npz").content)) as file:
            np.testing.assert_array_equal(file["weights"], raw)
        np.testing.assert_array_equal(raw, told_map["weights"])
        reply = client.get(f"{path}&format=csv")
        assert reply.headers["content-disposition"].endswith(f'-{combine}.csv"')
        lines = list(csv.DictReader(io.StringIO(reply.text, newline="")))
        for line in lines:
            assert float(line["value"]) == raw[int(line["row"]), int(line["col"])]
        assert [line["col_token"] for line in lines[3:6]] == ["four", "five", ""]
        assert {line["row_token"] for line in lines[3:6]} == {"five"}


def test_a_file_says_whether_it_is_of_words_and_their_names(client: TestClient) -> None:
    body = {"text": "unbelievably good", "model": {"source": "installed", "name": "echo"}}
    path = f"{traced(client, body)}/together?heads=0.1_1.0"
    reply, of_words = client.get(path), client.get(f"{path}&tokens=words&keys=max")
    pieces, words = reply.json(), of_words.json()
    assert (pieces["tokens"], len(pieces["query_names"])) == ("pieces", len(pieces["weights"]))
    assert {"tokens": "words", "keys": "max", "queries": "mean"}.items() <= words.items()
    assert [name.strip() for name in words["query_names"]] == ["unbelievably", "good"]
    assert words["key_names"] == words["query_names"] != pieces["query_names"]
    assert of_words.headers["content-disposition"].endswith('-mean-words.json"')


def test_rollout_is_that_of_its_own_endpoint(client: TestClient) -> None:
    trace = traced(client)
    for combine, own in (("rollout", "mean"), ("rollout_max", "max")):
        of = "layer=1&batch=1&discard=0.5"
        (expected,) = client.get(f"{trace}/rollout?{of}&combine={own}").json()["maps"]
        reply = client.get(f"{trace}/together?{of}&combine={combine}").json()
        assert (reply["weights"], reply["discard"]) == (expected, 0.5)


@pytest.mark.parametrize(
    ("query", "at"),
    [
        ("", "heads"),
        ("heads=0.1&layer=1", "layer"),
        ("heads=0", "heads"),
        ("heads=0.9", "head"),
        ("heads=3.0", "layer"),
        ("heads=0.1&batch=2", "batch"),
        ("combine=rollout", "layer"),
        ("combine=rollout&layer=1&heads=0.1", "heads"),
        ("combine=rollout&layer=3", "layer"),
        ("combine=rollout_max&layer=0&discard=1", "discard"),
        ("heads=0.1&discard=0.5", "discard"),
        ("heads=0.1&combine=sum", "combine"),
    ],
)
def test_what_means_nothing_is_refused(client: TestClient, query: str, at: str) -> None:
    problem = problem_of(client.get(f"{traced(client)}/together?{query}"), 422, "invalid_request")
    assert problem["errors"][0]["at"] == at


def test_heads_with_keys_of_different_texts_are_refused(client: TestClient) -> None:
    body = {"text": "a b", "context": "c d", "model": {**MODEL, "block": "decoder"}}
    trace = traced(client, body)
    assert client.get(f"{trace}/together?heads=0.0_2.1").status_code == 200
    problem = problem_of(client.get(f"{trace}/together?heads=0.0_1.0"), 422, "invalid_request")
    assert problem["errors"][0]["at"] == "heads"
    problem_of(client.get(f"{trace}/together?combine=rollout&layer=1"), 422, "invalid_request")
