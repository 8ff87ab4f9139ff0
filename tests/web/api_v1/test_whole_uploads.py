"""A whole model by upload: it computes what its files do on the disk, and is kept as it came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load, save

from attnscope.tokens.untrusted_tokenizer import UnsafeDefinition, check_definition
from attnscope.web.http.admission import Queue
from tests.charsmaps import charsmap
from tests.families.cases import made
from tests.families.made import GPT2, gpt2_tensors, tokenizer
from tests.gguf_files import byte_level_keys, gpt2_gguf
from tests.web.client import ATTENTION, TRACES, problem_of, serving_app

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


def test_an_upload_computes_what_the_folder_does(
    served: TestClient, disk: Path, subtests: pytest.Subtests
) -> None:
    for case in CASES:
        with subtests.test(case):
            body = sent(served, files_of(disk / case))
            assert (body["layout"], body["has_tokenizer"], body["has_embedding"]) == (
                json.loads((disk / case / "config.json").read_text())["model_type"], True, True,
            )  # fmt: skip
            uploaded = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
            installed = {"text": TEXT, "model": {"source": "installed", "name": case}}
            ours, theirs = (
                served.post(ATTENTION, json=one).json() for one in (uploaded, installed)
            )
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
        problem_of(again.get(f"{TRACES}/{trace}/predictions"), 404, "unknown_model")


def test_a_gguf_file_is_a_whole_model(served: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "tiny.gguf"
    gpt2_gguf(file, GPT2, gpt2_tensors(GPT2), byte_level_keys(tokenizer()))
    body = sent(served, [("weights", (file.name, file.read_bytes()))])
    assert (body["layout"], body["has_tokenizer"]) == ("gpt2", True)
    question = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    assert served.post(TRACES, json=question).status_code == 201


def test_it_stays_in_memory_until_it_is_deleted(served: TestClient, disk: Path) -> None:
    engine = served.app.state.engine  # type: ignore[attr-defined]
    body = sent(served, files_of(disk / "gpt2"))
    assert engine.has_upload(body["id"])
    held = engine.cache.used
    assert held > body["bytes"] + len(tokenizer())
    assert served.delete(f"{MODELS}/{body['id']}").status_code == 204
    assert not engine.has_upload(body["id"])
    assert held - engine.cache.used > body["bytes"]


def test_its_own_tokenizer_is_the_only_one(served: TestClient, disk: Path) -> None:
    body = sent(served, files_of(disk / "gpt2"))
    model = {"source": "uploaded", "id": body["id"]}
    asked = [served.post(TRACES, json={"text": TEXT, "model": model, "tokenizer": one})
             for one in (None, "model", "words")]  # fmt: skip
    assert [one.status_code for one in asked] == [201, 201, 422]
    assert asked[0].json()["tokens"] == asked[1].json()["tokens"]


def test_its_short_texts_do_not_wait_behind_work_that_takes_a_while(
    served: TestClient, disk: Path
) -> None:
    body = sent(served, files_of(disk / "gpt2"))
    queues = served.app.state.admission.queues  # type: ignore[attr-defined]
    queues["small"] = Queue(0, 0)
    question = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    assert served.post(TRACES, json=question).status_code == 201


def patterned(pattern: str) -> bytes:
    parts = json.loads(tokenizer())
    parts["pre_tokenizer"] = {
        "type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False
    }  # fmt: skip
    return json.dumps(parts).encode()


def config(**keys: Any) -> bytes:
    return json.dumps({**GPT2, **keys}).encode()


def test_what_is_no_model_is_refused_and_nothing_is_kept(
    served: TestClient, disk: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
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
    ]
    for other, word in cases:
        with subtests.test(other=other):
            problem = problem_of(
                served.post(MODELS, files=files_of(disk / "gpt2", **other)), 422, "bad_weights_file"
            )
            assert word in problem["detail"]
            kept = tmp_path / "data/models"
            assert not kept.exists() or not [one for one in kept.iterdir() if one.is_dir()]


STRANGE = "attn_temperature"


def strange(disk: Path) -> list[tuple[str, Any]]:
    """GPT-2 with a key that could change its numbers."""
    return files_of(disk / "gpt2", config=config(**{STRANGE: 2.0}, logo="a"))


def accepting(client: TestClient, files: list[tuple[str, Any]], accept: Any) -> Any:
    return client.post(MODELS, files=files, data={"accept": json.dumps(accept)})


def test_a_key_that_could_change_numbers_can_be_accepted(
    served: TestClient, disk: Path, tmp_path: Path
) -> None:
    problem = problem_of(served.post(MODELS, files=strange(disk)), 422, "bad_weights_file")
    assert problem["errors"][0]["accept"] == [STRANGE]
    body = accepting(served, strange(disk), problem["errors"][0]["accept"]).json()
    question = {"text": TEXT, "model": {"source": "uploaded", "id": body["id"]}}
    own = {"text": TEXT, "model": {"source": "installed", "name": "gpt2"}}
    answer = served.post(ATTENTION, json=question).json()
    assert answer["layers"] == served.post(ATTENTION, json=own).json()["layers"]
    for reply in (body, answer):
        (note,) = reply["notes"]
        assert note["code"] == "accepted_keys"
        assert STRANGE in note["message"]
    with serving_app(tmp_path / "data") as again:
        assert again.get(f"{MODELS}/{body['id']}").json() == body
        assert again.post(ATTENTION, json=question).json()["notes"] == answer["notes"]


def test_keys_that_need_not_be_accepted_are_refused(
    served: TestClient, disk: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    whole, plain = strange(disk), files_of(disk / "gpt2")
    bare = [("weights", ("w.safetensors", save(dict.fromkeys(("w_q", "w_k", "w_v"), np.eye(2)))))]
    cases: list[tuple[list[tuple[str, Any]], Any, str, str]] = [
        (whole, [STRANGE, "logo"], "bad_weights_file", "logo"),
        (whole, [STRANGE, "rope_nothing"], "bad_weights_file", "rope_nothing"),
        (plain, [STRANGE], "bad_weights_file", STRANGE),
        (bare, [STRANGE], "bad_weights_file", STRANGE),
        (whole, STRANGE, "invalid_request", "JSON"),
        (whole, {STRANGE: 1}, "invalid_request", "JSON"),
        (whole, [1], "invalid_request", "JSON"),
        (whole, ["\ud800"], "invalid_request", "JSON"),
        (whole, [f"attn_{i}" for i in range(65)], "invalid_request", "64"),
    ]
    for files, accept, code, word in cases:
        with subtests.test(accept=accept):
            assert word in problem_of(accepting(served, files, accept), 422, code)["detail"]
    broken = served.post(MODELS, files=whole, data={"accept": "["})
    problem_of(broken, 422, "invalid_request")
    kept = tmp_path / "data/models"
    assert not kept.exists() or not [one for one in kept.iterdir() if one.is_dir()]


def test_more_keys_than_can_be_accepted_are_refused_without_a_way_on(
    served: TestClient, disk: Path
) -> None:
    many = {f"attn_{i}": 2.0 for i in range(65)}
    refused = served.post(MODELS, files=files_of(disk / "gpt2", config=config(**many)))
    assert "accept" not in problem_of(refused, 422, "bad_weights_file")["errors"][0]


def test_a_file_of_a_kind_comes_once(served: TestClient, disk: Path) -> None:
    twice = [*files_of(disk / "gpt2"), ("config", ("config.json", b"{}"))]
    problem_of(served.post(MODELS, files=twice), 422, "invalid_request")


def changed(**parts: Any) -> bytes:
    """The tokenizer with other parts; those of its model in `of_model`."""
    settings = json.loads(tokenizer())
    settings["model"] |= parts.pop("of_model", {})
    return json.dumps({**settings, **parts}).encode()


def replacing(content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": "a"}, "content": content}


WIDE = charsmap({"\uff41": "a"})


def precompiled(table: str) -> dict[str, Any]:
    return {"type": "Precompiled", "precompiled_charsmap": table}


def test_a_table_of_letters_is_taken_and_used(served: TestClient, disk: Path) -> None:
    """As XLM-R, T5, ALBERT and CamemBERT have one."""
    body = sent(served, files_of(disk / "gpt2", tokenizer=changed(normalizer=precompiled(WIDE))))
    model = {"source": "uploaded", "id": body["id"]}
    wide, plain = (
        served.post(TRACES, json={"text": text, "model": model}).json()["tokens"]
        for text in ("The \uff41nimal", "The animal")
    )
    assert wide == plain


WORDS: dict[str, Any] = {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "a",
                         "continuing_subword_prefix": "##"}  # fmt: skip


HARMFUL = [
    changed(normalizer=replacing("x" * 300_000), pre_tokenizer=None),
    changed(normalizer={"type": "Sequence", "normalizers": [replacing("aa")] * 24}),
    changed(normalizer={"type": "Sequence", "normalizers": [replacing("b")] * 24}),
    changed(normalizer=precompiled("AAAA")),
    changed(normalizer=precompiled(charsmap({"a": "bb"}))),
    changed(normalizer={"type": "Precompiled", "precompiled_charsmap": None}),
    changed(normalizer={"type": "Sequence", "normalizers": [precompiled(WIDE)] * 2}),
    changed(pre_tokenizer={"type": "FixedLength", "length": 0}),
    changed(of_model={"continuing_subword_prefix": "#" * 500}),
    changed(of_model={"dropout": 0.5}),
    changed(model={**WORDS, "max_input_chars_per_word": 10**12}),
    tokenizer().encode().replace(b'"pre_tokenizer"', b'"pre_tokenizer":null,"pre_tokenizer"'),
]
# What only the library finds when it opens the file.
INCONSISTENT = [
    changed(model={"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "zz"}),
    changed(model={"type": "BPE", "vocab": {"a": 5000}, "merges": []}),
    changed(model={"type": "Unigram", "vocab": [], "unk_id": None}),
]


def test_a_tokenizer_that_might_do_harm_is_refused(
    served: TestClient, disk: Path, subtests: pytest.Subtests
) -> None:
    for strange in HARMFUL:
        with subtests.test(strange=strange), pytest.raises(UnsafeDefinition):
            check_definition(strange)
    for strange in (HARMFUL[0], *INCONSISTENT):
        with subtests.test(sent=strange):
            problem_of(
                served.post(MODELS, files=files_of(disk / "gpt2", tokenizer=strange)),
                422, "bad_weights_file",
            )  # fmt: skip


def test_a_tokenizer_that_breaks_off_on_a_text_says_so(served: TestClient, disk: Path) -> None:
    model = {"type": "WordLevel", "vocab": {"a": 0, "b": 1}, "unk_token": "a"}
    around = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}},
              {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
              "special_tokens": {"x": {"id": "x", "ids": [99999], "tokens": ["x"]}}}  # fmt: skip
    bad = changed(model=model, post_processor=around)
    reply = served.post(MODELS, files=files_of(disk / "bert", tokenizer=bad))
    problem_of(reply, 422, "bad_weights_file")


def test_numbers_that_nothing_can_be_computed_of_are_refused(
    served: TestClient, disk: Path, subtests: pytest.Subtests
) -> None:
    cases: list[Any] = [
        {"head_dim": 10**12}, {"head_dim": 10**400}, {"head_dim": 2 * 10**7},
        {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "rope_theta": 1.0}},
        {"rope_scaling": {"rope_type": "yarn", "factor": 2.7, "mscale": 1.0,
                          "mscale_all_dim": -10.0}},
        {"rope_scaling": {"rope_type": "yarn", "factor": 2.0,
                          "original_max_position_embeddings": 10**400}},
        {"rope_scaling": {"rope_type": "linear", "factor": 1e-320}},
        {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 2.0,
                          "high_freq_factor": 2.0, "original_max_position_embeddings": 16}},
        {"hidden_size": 10**400}, {"vocab_size": 10**12},
    ]  # fmt: skip
    for keys in cases:
        with subtests.test(keys=keys):
            folder = disk / "qwen3"
            own = json.loads((folder / "config.json").read_text())
            text = json.dumps({**own, "model_type": "llama", **keys}).encode()
            problem_of(
                served.post(MODELS, files=files_of(folder, config=text)), 422, "bad_weights_file"
            )


def test_weights_of_whole_numbers_are_refused_and_the_next_upload_is_taken(
    served: TestClient, disk: Path
) -> None:
    tensors = load((disk / "gpt2/model.safetensors").read_bytes())
    whole = save({name: array.astype(np.int8) for name, array in tensors.items()})
    problem_of(
        served.post(MODELS, files=files_of(disk / "gpt2", weights=whole)), 422, "bad_weights_file"
    )
    sent(served, files_of(disk / "gpt2"))
