"""An encoder with its decoder over HTTP: everything is answered in every kind of layer, or refused
with a sentence."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.families.seq2seq_made import SOURCES, TEXTS, made_pair
from tests.web.client import ATTENTION, TRACES, problem_of, serving_app

KINDS = ("bart", "t5_gated")
BODY = {"text": TEXTS, "context": SOURCES}
FIRST = 3  # layers of either's encoder
NOT_ASKED = {"initialisation": ("head",), "sharing": ("head",), "export": ("batch",)}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    disk = tmp_path_factory.mktemp("disk")
    folders = [made_pair(case, disk) for case in KINDS]
    with serving_app(disk / "data", models=folders) as client:
        yield client


@pytest.fixture(params=KINDS)
def body(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {**BODY, "model": {"source": "installed", "name": request.param}}


@pytest.fixture
def at(served: TestClient, body: dict[str, Any]) -> str:
    return f"{TRACES}/{served.post(TRACES, json=body).json()['trace']}"


def test_every_layer_is_asked_everything(
    served: TestClient, at: str, subtests: pytest.Subtests
) -> None:
    for layer in (0, FIRST - 1, FIRST, FIRST + 1, FIRST + 3):
        place: dict[str, Any] = {"layer": layer, "head": 1, "batch": 1}
        asks = layer > FIRST and (layer - FIRST) % 2 == 1
        own = ["mlp_output"] if layer < FIRST or asks else []
        stages = [f"stages/{name}" for name in ("weights", *own, *(["context"] if asks else []))]
        read = ("weights", "scaled_scores", "x", "k", *own)
        cells = [f"cells/{name}?row=3&col=2" for name in read]
        for what in ("spectrum", "initialisation", "scaling", "precision", "sharing", "linear",
                     "jacobian?row=3", *stages, *cells, "export?format=csv"):  # fmt: skip
            with subtests.test(what, layer=layer):
                path, _, query = what.partition("?")
                where = {n: v for n, v in place.items() if n not in NOT_ASKED.get(path, ())}
                reply = served.get(f"{at}/{path}", params=dict(parse_qsl(query)) | where)
                assert reply.status_code == 200, reply.text


def test_and_all_of_them_together(served: TestClient, at: str) -> None:
    for what in ("heads?batch=1", "predictions?top=1000&batch=1", "ablations?batch=1",
                 f"decode?layer={FIRST + 1}&batch=1", "question", "export?format=html",
                 "export?format=py", "export?format=npz", "export?format=safetensors"):  # fmt: skip
        reply = served.get(f"{at}/{what}")
        assert reply.status_code == 200, (what, reply.text)
    refused = ("decode?layer=0", "rollout", "probe", "cells/scores/parts?row=1&col=1")
    for what in refused:
        problem_of(served.get(f"{at}/{what}"), 422, "invalid_request")
    asked = {"objective": {"kind": "sum"}}
    problem_of(served.post(f"{at}/gradients", json=asked), 422, "invalid_request")
    blocks_add_up = "t5" in served.get(f"{at}/question").json()["model"]["name"]
    assert served.get(f"{at}/contributions").status_code == (200 if blocks_add_up else 422)
    problem_of(served.get(f"{at}/cells/x?row=99&col=0"), 422, "invalid_request")
    problem_of(served.get(f"{at}/jacobian?layer={FIRST}&row=12"), 422, "invalid_request")


def test_every_layer_says_the_same_size_of_the_cache(served: TestClient, at: str) -> None:
    sizes = [
        [one["cache_bytes"] for one in served.get(f"{at}/sharing?layer={i}").json()["variants"]]
        for i in range(FIRST + 2)
    ]
    assert sizes == [sizes[0]] * len(sizes)
    decoded = served.get(f"{at}/decode?layer={FIRST}").json()["cache"]["variants"]
    assert sizes[0][0] == decoded[0]["bytes"][-1]


def test_a_text_is_written_from_nothing(served: TestClient, body: dict[str, Any]) -> None:
    empty = {**body, "text": "", "context": SOURCES[0]}
    reply = served.post(ATTENTION, json={**empty, "stages": ["weights"]}).json()
    assert len(reply["tokens"][0]) == 1
    assert reply["encoder_layers"] == FIRST
    source = len(reply["context_tokens"][0])
    sizes = [np.shape(layer["weights"])[2:] for layer in reply["layers"]]
    assert sizes == [(source, source)] * FIRST + [(1, 1), (1, source)] * 2
    written = served.post(f"{TRACES}/{reply['trace']}/continuations", json={"tokens": 3})
    assert written.status_code == 200, written.text
    assert len(written.json()["pieces"]) == 3
    again = served.get(f"{TRACES}/{written.json()['trace']}").json()
    assert len(again["tokens"][0]) == 4


def test_the_export_has_the_sizes_of_each_half(served: TestClient, at: str) -> None:
    arrays = np.load(io.BytesIO(served.get(f"{at}/export?format=npz").content))
    n, m = (served.get(at).json()["shape"][name] for name in ("n", "m"))
    assert arrays["layers.0.x"].shape[1] == m
    assert arrays[f"layers.{FIRST}.x"].shape[1] == n
    assert arrays[f"layers.{FIRST + 1}.context"].shape[1] == m
    assert arrays[f"layers.{FIRST + 1}.weights"].shape[2:] == (n, m)
    last = arrays[f"layers.{FIRST - 1}.block_output"]
    if not served.get(at).json()["holds"].count("normed_context"):
        np.testing.assert_array_equal(last, arrays[f"layers.{FIRST + 1}.context"])


def test_without_a_source_it_says_what_is_missing(served: TestClient, body: dict[str, Any]) -> None:
    reply = served.post(TRACES, json={**body, "context": None})
    assert problem_of(reply, 422, "invalid_request")["errors"][0]["at"] == "context"
