"""A whole model by upload: it computes what its files do on the disk, and is kept as it came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.families.cases import made
from tests.families.made import GPT2, gpt2_tensors, tokenizer
from tests.gguf_files import byte_level_keys, gpt2_gguf
from tests.web.client import ATTENTION, TRACES, serving_app, told

MODELS = "/api/v1/models"
TEXT = "The animal didn't"
CASES = ("gpt2", "bert", "qwen3", "gemma2")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("disk")
    for case in CASES:
        made(case, home)
    return home


@pytest.fixture
def served(disk: Path, tmp_path: Path) -> Iterator[TestClient]:
    with serving_app(tmp_path / "data", models=[disk]) as client:
        yield client


def files_of(folder: Path, **other: bytes | None) -> list[tuple[str, Any]]:
    """The fields of the form; a file of `other` bytes stands in place of its own."""
    own: dict[str, bytes | None] = {
        "weights": (folder / "model.safetensors").read_bytes(),
        "config": (folder / "config.json").read_bytes(),
        "tokenizer": (folder / "tokenizer.json").read_bytes(), **other,
    }  # fmt: skip
    names = {"weights": "model.safetensors", "config": "config.json", "tokenizer": "tokenizer.json"}
    return [(field, (names[field], data)) for field, data in own.items() if data is not None]


def sent(client: TestClient, files: list[tuple[str, Any]]) -> dict[str, Any]:
    reply = client.post(MODELS, files=files)
    assert reply.status_code == 201, reply.text[:400]
    body: dict[str, Any] = reply.json()
    return body


@pytest.mark.parametrize("case", CASES)
def test_an_upload_computes_what_the_folder_does(case: str, served: TestClient, disk: Path) -> None:
    body = sent(served, files_of(disk / case))
    assert (body["layout"], body["has_tokenizer"], body["has_embedding"]) == (
        json.loads((disk / case / "config.json").read_text())["model_type"], True, True,
    )  # fmt: skip
    uploaded = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    installed = {"text": TEXT, "model": {"source": "installed", "name": case}}
    ours, theirs = (served.post(ATTENTION, json=one).json() for one in (uploaded, installed))
    for name in ("tokens", "shape", "scale", "holds", "layers"):
        assert ours[name] == theirs[name], name
    assert served.get(f"{MODELS}/{body['id']}").json() == body


def test_it_says_what_comes_next_and_is_there_after_a_restart(
    served: TestClient, disk: Path, tmp_path: Path
) -> None:
    body = sent(served, files_of(disk / "gpt2"))
    question = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    trace = served.post(TRACES, json=question).json()["trace"]
    said = served.get(f"{TRACES}/{trace}/predictions").json()
    assert len(said["top"]) == 10
    assert served.post(f"{TRACES}/{trace}/continuations", json={"tokens": 2}).status_code == 200
    with serving_app(tmp_path / "data") as again:
        assert again.get(f"{TRACES}/{trace}/predictions").json() == said
        assert again.delete(f"{MODELS}/{body['id']}").status_code == 204
        told(again.get(f"{TRACES}/{trace}/predictions"), 404, "unknown_model")


def test_a_gguf_file_is_a_whole_model(served: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    gpt2_gguf(file, GPT2, gpt2_tensors(GPT2), byte_level_keys(tokenizer()))
    body = sent(served, [("weights", (file.name, file.read_bytes()))])
    assert (body["layout"], body["has_tokenizer"]) == ("gpt2", True)
    question = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    assert served.post(TRACES, json=question).status_code == 201


def test_its_own_tokenizer_is_the_only_one(served: TestClient, disk: Path) -> None:
    body = sent(served, files_of(disk / "gpt2"))
    model = {"source": "uploaded", "id": body["id"]}
    asked = [served.post(TRACES, json={"text": TEXT, "model": model, "tokenizer": one})
             for one in (None, "model", "words")]  # fmt: skip
    assert [one.status_code for one in asked] == [201, 201, 422]
    assert asked[0].json()["tokens"] == asked[1].json()["tokens"]


def patterned(pattern: str) -> bytes:
    parts = json.loads(tokenizer())
    parts["pre_tokenizer"] = {
        "type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False
    }  # fmt: skip
    return json.dumps(parts).encode()


def config(**keys: Any) -> bytes:
    return json.dumps({**GPT2, **keys}).encode()


@pytest.mark.parametrize(
    ("other", "word"),
    [
        ({"tokenizer": None}, "tokenizer.json"),
        ({"tokenizer": b"{"}, "tokenizer.json"),
        ({"tokenizer": b"\xff"}, "tokenizer.json"),
        ({"tokenizer": patterned("(a+)+$")}, "(a+)+$"),
        ({"config": b"[]"}, "config.json"),
        ({"config": b"{" * 10000}, "config.json"),
        ({"config": config(model_type="mamba")}, "mamba"),
        ({"config": config(n_embd=48)}, "48"),
        ({"config": config(rope_theta=3.0)}, "rope_theta"),
        ({"weights": b"\x80\x04K\x01."}, ""),
    ],
)
def test_what_is_no_model_is_refused_and_nothing_is_kept(
    other: dict[str, bytes | None], word: str, served: TestClient, disk: Path, tmp_path: Path
) -> None:
    problem = told(
        served.post(MODELS, files=files_of(disk / "gpt2", **other)), 422, "bad_weights_file"
    )
    assert word in problem["detail"]
    kept = tmp_path / "data/models"
    assert not kept.exists() or not [one for one in kept.iterdir() if one.is_dir()]


def test_a_file_of_a_kind_comes_once(served: TestClient, disk: Path) -> None:
    twice = [*files_of(disk / "gpt2"), ("config", ("config.json", b"{}"))]
    told(served.post(MODELS, files=twice), 422, "invalid_request")
