"""Keys of config.json that a family does not read: listed, and no number depends on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from tests.families.asking import ask
from tests.families.cases import made
from tests.families.made import with_config
from tests.families.seq2seq_made import config_of, made_pair
from tests.web.client import serving_app

# As published: R1-Distill, SmolLM2, fine-tunes of unsloth and sentence-transformers, long Llamas.
LINEAR = {"type": "linear", "factor": 2.0}
UNREAD: list[tuple[str, dict[str, Any], list[str]]] = [
    ("qwen2_window", {"use_mrope": False, "model_max_length": 4096},
     ["model_max_length", "use_mrope"]),
    ("llama_bias", {"is_llama_config": True, "rope_interleaved": False, "unsloth_fixed": True},
     ["is_llama_config", "rope_interleaved", "unsloth_fixed"]),
    ("llama_bias", {"sentence_transformers": {"version": "5"}, "_flash_attn_2_enabled": True},
     ["_flash_attn_2_enabled", "sentence_transformers"]),
    ("llama", {"attention_bias": None, "tie_word_embeddings": None}, []),
    ("gemma3", {"_sliding_window_pattern": 6}, []),
    ("phi3", {"layer_types": ["full_attention"] * 2}, ["layer_types"]),
    ("bloom", {"alibi": False, "n_positions": 64, "attention_dropout": 0.1},
     ["alibi", "n_positions"]),
    ("gpt2", {"n_ctx": 32, "hidden_size": 24, "embedding_size": 7}, ["embedding_size"]),
]  # fmt: skip


def config_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
    return found


def test_they_are_listed_and_change_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (case, keys, unread) in enumerate(UNREAD):
        with subtests.test(case, keys=sorted(keys)):
            folder = made(case, tmp_path / str(number))
            config = config_in(folder)
            before = ask(folder, "The animal").layers[-1]["output"]
            model = Checkpoint(with_config(folder, {**config, **keys}))
            assert model.config.unread == tuple(unread)
            np.testing.assert_array_equal(ask(folder, "The animal").layers[-1]["output"], before)


def test_a_kind_of_rotary_positions_does_not_read_every_key(tmp_path: Path) -> None:
    folder = made("llama", tmp_path)
    config = {
        **config_in(folder),
        "rope_scaling": {**LINEAR, "original_max_position_embeddings": 16},
    }
    model = Checkpoint(with_config(folder, config))
    assert model.config.unread == ("rope_scaling.original_max_position_embeddings",)


@pytest.mark.parametrize(
    ("case", "mapping"),
    [
        ("llama", {**LINEAR, "attention_factor": 2.0}),
        ("llama", {**LINEAR, "full_attention": {"factor": 3.0}}),
        ("gemma3_nested", {"sliding_attention": {"rope_type": "default"}, "attention_factor": 2.0}),
        ("gemma3_nested", {"full_attention": {"rope_type": "default", "mscale": 0.7}}),
    ],
)
def test_a_rotary_key_that_could_change_numbers_is_refused_wherever_it_is(
    case: str, mapping: dict[str, Any], tmp_path: Path
) -> None:
    folder = made(case, tmp_path)
    config = config_in(folder)
    config.pop("rope_parameters", None)
    with pytest.raises(BadWeightsFile) as refused:
        Checkpoint(with_config(folder, {**config, "rope_scaling": mapping}))
    assert refused.value.reason == "unknown_key"


def test_the_new_key_of_t5_decides_over_the_tie(tmp_path: Path) -> None:
    """T5 1.1 that transformers has saved again is tied and not scaled."""
    folder, config = made_pair("t5", tmp_path), config_of("t5")
    for tie, scaled, expected in ((True, False, False), (False, True, True), (False, None, False)):
        keys = {"tie_word_embeddings": tie, "scale_decoder_outputs": scaled}
        assert Checkpoint(with_config(folder, {**config, **keys})).config.tied is expected


def test_a_key_that_might_change_numbers_is_passed_over_where_it_is_accepted(
    tmp_path: Path,
) -> None:
    folder = made("llama", tmp_path / "models")
    before = ask(folder, "The animal").layers[-1]["output"]
    with_config(folder, {**config_in(folder), "attn_temperature": 2.0, "logo": "a"})
    with pytest.raises(BadWeightsFile):
        ModelRegistry(models_dir(), [folder])
    registry = ModelRegistry(models_dir(), [folder], accepted=["attn_temperature"])
    model = registry.models["llama"]
    assert model.config.accepted == ("attn_temperature",)
    assert model.config.unread == ("attn_temperature", "logo")
    question = Question.model_validate(
        {"text": "The animal", "model": {"source": "installed", "name": "llama"}}
    )
    trace = answer(make_plan(question, Limits(), pytest.fail, registry))
    np.testing.assert_array_equal(trace.layers[-1]["output"], before)
    assert trace.plan.model.notes == ("accepted_keys",)
    for needless in ("rope_nothing", "logo"):
        with pytest.raises(BadWeightsFile) as refused:
            ModelRegistry(models_dir(), [folder], accepted=["attn_temperature", needless])
        assert refused.value.reason == "no_such_key"
        assert refused.value.values == {"keys": needless}


def test_a_long_name_among_many_keys_can_be_accepted(tmp_path: Path) -> None:
    folder, name = made("llama", tmp_path), f"z_attention_{'a' * 80}"
    many = {f"key_{i}": i for i in range(100)}
    with_config(folder, {**config_in(folder), **many, name: 2.0})
    registry = ModelRegistry(models_dir(), [folder], accepted=[name])
    assert registry.models["llama"].config.accepted == (name,)


def test_every_reply_and_page_of_it_says_so(tmp_path: Path) -> None:
    folder = made("llama", tmp_path / "models")
    with_config(folder, {**config_in(folder), "attn_temperature": 2.0})
    accepted = {"models": [folder], "accept": ["attn_temperature"]}
    with serving_app(tmp_path / "data", **accepted) as client:
        body = client.get("/api/v1/models/installed/llama").json()
        asked = {"text": "The animal", "model": {"source": "installed", "name": "llama"}}
        for reply in (body, client.post("/api/v1/attention", json=asked).json()):
            (note,) = reply["notes"]
            assert note["code"] == "accepted_keys"
            assert "attn_temperature" in note["message"]
        assert "model-notes" in client.get("/models/llama").text
