"""A checkpoint from the disk, asked as every installed model is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.installed.checkpoint import Checkpoint
from tests.families.cases import made
from tests.families.made import GPT2, gpt2, gpt2_tensors, tokenizer
from tests.gguf_files import byte_level_keys, gpt2_gguf
from tests.installed.test_model_registry import cached
from tests.web.client import ATTENTION, MODELS, TRACES, problem_of, serving_app

TEXT = "The animal didn't"
MODEL = {"source": "installed", "name": "tiny"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gpt2(tmp_path_factory.mktemp("disk") / "tiny")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[TestClient]:
    with serving_app(folder.parent / "data", models=[folder]) as client:
        yield client


def test_it_stands_among_the_models_with_what_it_is(served: TestClient, folder: Path) -> None:
    models = {one["name"]: one for one in served.get("/api/v1/models").json()["models"]}
    tiny = models["tiny"]
    assert (tiny["family"], tiny["context"], tiny["vocabulary"]) == ("gpt2", 32, 300)
    assert (tiny["predicts"], tiny["revisions"], tiny["language"]) == ("next", ["main"], None)
    assert tiny["shape"] == {
        "num_layers": 2, "num_heads": 3, "num_kv_heads": 3, "d_model": 24, "d_k": 8, "d_v": 8
    }  # fmt: skip
    assert tiny["bytes"] == (folder / "model.safetensors").stat().st_size
    tensors = served.get("/api/v1/models/installed/tiny").json()["tensors"]
    table = {"name": "transformer.wte.weight", "shape": [300, 24], "dtype": "float32"}
    assert {**table, "became": ["embedding", "unembedding"]} in tensors
    assert "echo" in models
    assert '"tiny"' in served.get("/").text


def test_everything_is_asked_of_it(served: TestClient) -> None:
    trace = served.post(TRACES, json={"text": TEXT, "model": MODEL}).json()["trace"]
    at = f"{TRACES}/{trace}"
    for what in ("heads", "probe", "predictions?top=1000", "ablations", "contributions", "rollout",
                 "decode", "spectrum", "initialisation", "scaling", "precision", "sharing",
                 "linear", "jacobian?row=1", "stages/mlp_output?layer=1",
                 "cells/weights?row=2&col=1", "cells/x?row=1&col=2",
                 "cells/scores/parts?row=2&col=1", "export?format=csv", "export?format=html",
                 "export?format=py"):  # fmt: skip
        assert served.get(f"{at}/{what}").status_code == 200, what
    written = served.post(f"{at}/continuations", json={"tokens": 3}).json()
    assert len(written["pieces"]) == 3
    asked = {"objective": {"kind": "sum"}}
    assert served.post(f"{at}/gradients", json=asked).status_code == 200
    cell = served.get(f"{at}/cells/x?row=1&col=2").json()
    assert cell["formula"] == "embedding + position"


def test_so_it_is_of_an_encoder(tmp_path: Path) -> None:
    folder = made("bert", tmp_path)
    with serving_app(tmp_path / "data", models=[folder]) as client:
        body = {"text": TEXT, "model": {**MODEL, "name": "bert"}}
        trace = client.post(TRACES, json=body).json()["trace"]
        at = f"{TRACES}/{trace}"
        for what in ("heads", "probe", "rollout", "spectrum", "scaling", "precision", "linear",
                     "cells/x?row=2&col=1", "cells/q?row=2&col=1&layer=1", "export?format=html",
                     "export?format=py"):  # fmt: skip
            assert client.get(f"{at}/{what}").status_code == 200, what
        asked = {"objective": {"kind": "sum"}}
        assert client.post(f"{at}/gradients", json=asked).status_code == 200
        problem_of(client.get(f"{at}/predictions"), 422, "no_predictions")
        both = client.post(ATTENTION, json={**body, "pair": "It was tired."}).json()
        assert set(both) - set(client.post(ATTENTION, json=body).json()) == {"sentences"}
        assert both["sentences"][0] == sorted(both["sentences"][0])
        assert both["offsets"][0][-1] == [13, 13]
        problem_of(client.post(TRACES, json={"text": "a", "pair": "b"}), 422, "invalid_request")
        assert client.get("/api/v1/models").json()["models"][-1]["predicts"] is None


def test_an_encoder_says_what_is_masked(tmp_path: Path) -> None:
    folder = made("bert_masked", tmp_path)
    with serving_app(tmp_path / "data", models=[folder]) as client:
        body = {"text": "The [MASK] was tired", "model": {**MODEL, "name": "bert_masked"}}
        made_of = client.post(TRACES, json=body).json()
        at, row = f"{TRACES}/{made_of['trace']}", made_of["tokens"][0].index("[MASK]")
        said = client.get(f"{at}/predictions?position={row}").json()
        assert (said["predicts"], said["position"], said["token"]) == ("masked", row, "[MASK]")
        assert set(said["surprises"]) == {None}
        worth = client.get(f"{at}/ablations?position={row}").json()
        assert worth["token"] == said["top"][0]["piece"]
        assert worth["log_probability"] == said["top"][0]["log_probability"]
        problem_of(client.get(f"{at}/contributions"), 422, "invalid_request")
        problem_of(client.post(f"{at}/continuations", json={"tokens": 1}), 422, "invalid_request")
        assert client.get("/api/v1/models").json()["models"][-1]["predicts"] == "masked"
        assert client.get(f"{at}/probe").json()["copied"] is None


def test_so_it_is_of_a_file(tmp_path: Path) -> None:
    keys = byte_level_keys(tokenizer())
    config = {**GPT2, "n_embd": 96}
    file = gpt2_gguf(tmp_path / "small.Q4_0.gguf", config, gpt2_tensors(config), keys, "Q4_0")
    with serving_app(tmp_path / "data", models=[file]) as client:
        told_of = client.get("/api/v1/models").json()["models"][-1]
        assert (told_of["name"], told_of["family"]) == ("small.Q4_0", "gpt2")
        assert told_of["bytes"] == file.stat().st_size
        tensors = client.get("/api/v1/models/installed/small.Q4_0").json()["tensors"]
        table = {"name": "wte.weight", "shape": [300, 96], "dtype": "Q4_0"}
        assert {**table, "became": ["embedding", "unembedding"]} in tensors
        assert told_of["recognised"]["code"] == "gguf"
        assert told_of["dtypes"] == ["Q4_0", "float32"]
        own = "/api/v1/models/installed/small.Q4_0/spectrum?layer=1"
        layer = Checkpoint(file).weights.layers[1]
        for name, found in client.get(own).json()["tensors"].items():
            plain = np.linalg.svd(getattr(layer, name).astype(float), compute_uv=False)
            np.testing.assert_allclose(found["singular_values"], plain, atol=1e-9)
        body = {"text": TEXT, "model": {**MODEL, "name": "small.Q4_0"}}
        trace = client.post(TRACES, json=body).json()["trace"]
        for what in ("heads", "predictions?top=3", "export?format=py"):
            assert client.get(f"{TRACES}/{trace}/{what}").status_code == 200, what
        file.unlink()
        problem_of(client.get(f"{TRACES}/{trace}"), 409, "model_changed")


def test_its_rows_are_embedding_and_position(served: TestClient, folder: Path) -> None:
    body = {"text": TEXT, "model": MODEL, "stages": ["x"]}
    reply = served.post(ATTENTION, json=body).json()
    model = Checkpoint(folder)
    ids = [model.pieces.ids[token] for token in reply["tokens"][0]]
    wanted = model.weights.embedding[ids] + model.weights.position[: len(ids)]
    np.testing.assert_allclose(reply["layers"][0]["x"][0], wanted, atol=1e-6)
    assert len(ids) <= GPT2["n_positions"]


def test_a_text_beyond_its_context_is_refused(served: TestClient) -> None:
    reply = served.post(TRACES, json={"text": "a " * 60, "model": MODEL})
    assert problem_of(reply, 413, "too_many_tokens")["errors"][0]["end"] > 0


def test_a_trace_of_files_that_changed_says_so(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    with serving_app(tmp_path / "data", models=[folder]) as client:
        trace = client.post(TRACES, json={"text": TEXT, "model": MODEL}).json()["trace"]
        os.utime(folder / "model.safetensors", ns=(1, 1))
        problem_of(client.get(f"{TRACES}/{trace}"), 409, "model_changed")
        again = client.post(TRACES, json={"text": TEXT, "model": MODEL}).json()["trace"]
        assert again != trace
        own = "/api/v1/models/installed/tiny/spectrum"
        assert client.get(own).status_code == 200
        (folder / "model.safetensors").unlink()
        problem_of(client.get(own), 409, "model_changed")
        problem_of(
            client.post(ATTENTION, json={"text": TEXT, "model": MODEL}), 409, "model_changed"
        )
        assert client.post(ATTENTION, json={"text": TEXT}).status_code == 200


def test_everything_is_asked_of_a_trace_that_is_made_again(
    served: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = served.app.state.engine  # type: ignore[attr-defined]
    monkeypatch.setattr(engine, "limits", replace(engine.limits, large_maps=0))
    text = "The animal, so it"
    trace = served.post(TRACES, json={"text": text, "model": MODEL}).json()["trace"]
    at = f"{TRACES}/{trace}"
    for what in ("heads", "predictions", "ablations", "contributions", "rollout", "decode",
                 "spectrum", "initialisation", "scaling", "precision", "sharing", "linear",
                 "jacobian?row=1", "stages/weights?layer=1", "stages/activated?layer=1",
                 "cells/weights?row=2&col=1", "cells/concat?row=1&col=2",
                 "cells/scores/parts?row=2&col=1", "export?format=csv", "export?format=npz",
                 "export?format=html", "export?format=py"):  # fmt: skip
        assert served.get(f"{at}/{what}").status_code == 200, what
    body = {"objective": {"kind": "sum"}}
    assert served.post(f"{at}/gradients", json=body).status_code == 200


def test_a_model_that_cannot_be_opened_is_listed_with_its_problem(tmp_path: Path) -> None:
    cached(tmp_path / "hub", "someone/tiny", "aaa")
    torn = cached(tmp_path / "hub", "someone/torn", "bbb")
    (torn / "blobs/config.json").write_text('{"model_type": "mamba"}')
    with serving_app(tmp_path / "data", models=[tmp_path / "hub"]) as client:
        listed = {one["name"]: one for one in client.get(MODELS).json()["models"]}
        assert listed["someone/tiny"]["unread_keys"] == []
        assert listed["someone/torn"].keys() == {"name", "source", "problem"}
        problem = listed["someone/torn"]["problem"]
        assert problem["code"] == "bad_weights_file"
        assert "mamba" in problem["message"]
        model = {"source": "installed", "name": "someone/torn"}
        refused = client.post(ATTENTION, json={"text": "a", "model": model})
        assert (refused.status_code, refused.json()["code"]) == (422, "bad_weights_file")
        page = client.get("/models").text
        assert "someone/torn" in page
        assert str(tmp_path) not in page + refused.text
        for path in ("", "/spectrum"):
            assert client.get(f"{MODELS}/installed/someone/tiny{path}").status_code == 200
        assert client.get("/models/someone/tiny").status_code == 200
        asked = {"text": "The animal", "model": {**model, "name": "someone/tiny"}}
        assert client.post(ATTENTION, json=asked).status_code == 200


def test_names_and_keys_that_are_no_utf_8_hide_no_model(tmp_path: Path) -> None:
    folder = tmp_path / "some"
    half = gpt2(folder / "half") / "config.json"
    half.write_text(half.read_text().replace("{", '{"zz\\ud800": 1,', 1))
    gpt2(Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff")))
    with serving_app(tmp_path / "data", models=[folder]) as client:
        models = {one["name"]: one for one in client.get(MODELS).json()["models"]}
        assert "bad\ufffd" in models
        assert models["half"]["problem"]["message"].startswith("config.json cannot be read")
        assert client.get("/models").status_code == 200
