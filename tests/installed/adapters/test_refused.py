"""Adapters that are not computed here: refused with what is wrong, never computed wrongly."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile, ModelChanged
from attnscope.installed.adapters.config import read_adapter
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.web.texts import filled
from tests.families.made import gpt2
from tests.families.seq2seq_made import made_pair
from tests.installed.adapters.made import QKV, TENSORS, adapter, asked, pair, registry_of
from tests.test_repo import messages

A, B = TENSORS


def refused(*paths: Path) -> BadWeightsFile:
    """What is said of an adapter, in sentences that are there."""
    with pytest.raises(BadWeightsFile) as raised:
        registry_of(*paths)
    for language in ("en", "zh"):
        sentence = messages(language)[f"errors.bad_weights_file.{raised.value.reason}"]
        assert "{" not in filled(language, sentence, {"at": raised.value.at, **raised.value.values})
    return raised.value


KEYS: list[tuple[dict[str, Any], str, str]] = [
    ({"peft_type": "LOHA"}, "adapter_kind", "peft_type"),
    ({"peft_type": None}, "adapter_kind", "peft_type"),
    ({"use_dora": True}, "adapter_key", "use_dora"),
    ({"bias": "all"}, "adapter_key", "bias"),
    ({"bias": "lora_only"}, "adapter_key", "bias"),
    ({"lora_bias": True}, "adapter_key", "lora_bias"),
    ({"trainable_token_indices": [1]}, "adapter_key", "trainable_token_indices"),
    ({"alora_invocation_tokens": [1]}, "adapter_key", "alora_invocation_tokens"),
    ({"layer_replication": [[0, 2]]}, "adapter_key", "layer_replication"),
    ({"target_parameters": ["experts"]}, "adapter_key", "target_parameters"),
    ({"use_qalora": True}, "adapter_key", "use_qalora"),
    ({"something_new": 2}, "adapter_key", "something_new"),
    ({"init_lora_weights": "pissa"}, "adapter_key", "init_lora_weights"),
    ({"init_lora_weights": "loftq"}, "adapter_key", "init_lora_weights"),
    ({"r": 0}, "adapter_value", "r"),
    ({"r": -1}, "adapter_value", "r"),
    ({"r": 2.5}, "adapter_value", "r"),
    ({"rank_pattern": {"c_attn": 0}}, "adapter_value", "rank_pattern.c_attn"),
    ({"rank_pattern": {"(": 4}}, "adapter_value", "pattern"),
    ({"rank_pattern": {"a" * 2000: 4}}, "adapter_value", "pattern"),
    ({"lora_alpha": "6"}, "adapter_value", "lora_alpha"),
    ({"lora_alpha": float("nan")}, "adapter_value", "lora_alpha"),
    ({"lora_alpha": 1e39}, "adapter_value", "lora_alpha"),
    ({"alpha_pattern": {"c_attn": -1e39}}, "adapter_value", "alpha_pattern.c_attn"),
    ({"use_rslora": "yes"}, "adapter_value", "use_rslora"),
]


def test_no_key_that_changes_numbers_is_passed_over(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    base = gpt2(tmp_path / "tiny")
    for keys, reason, at in KEYS:
        with subtests.test(keys=keys):
            error = refused(base, adapter(tmp_path / "tuned", **keys))
            assert (error.reason, error.at) == (reason, at)


def test_a_pattern_that_takes_very_long_is_given_up(tmp_path: Path) -> None:
    slow = {"(.|..)*(.|..)*(.|..)*[!?]": 4}
    keys = read_adapter(adapter(tmp_path / "tuned", rank_pattern=slow), pattern_seconds=0.05)
    with pytest.raises(BadWeightsFile) as raised:
        keys.rank(QKV)
    assert raised.value.reason == "adapter_value"
    assert raised.value.values == {"value": next(iter(slow))}


@pytest.mark.parametrize("large", ["(((a{99}){99}){99})", "(ab){,1000000}", "(a{4000000000})"])
def test_a_pattern_that_takes_much_memory_to_compile_is_refused(large: str, tmp_path: Path) -> None:
    tuned = adapter(tmp_path / "tuned", rank_pattern={large: 4})
    with pytest.raises(BadWeightsFile) as raised:
        registry_of(gpt2(tmp_path / "tiny"), tuned)
    assert raised.value.values == {"value": large}


NAN = np.full((4, 24), np.nan, np.float32)
MORE: list[tuple[dict[str, np.ndarray], str, str]] = [
    (pair(QKV, 32, 72), "adapter_sizes", A),
    (pair(QKV, 24, 96), "adapter_sizes", B),
    (pair(QKV, 24, 72, rank=8), "adapter_sizes", A),
    (pair("model.layers.0.self_attn.q_proj", 24, 24), "adapter_fits_nothing",
     "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"),
    (pair("transformer.h.7.attn.c_attn", 24, 72), "adapter_fits_nothing",
     "base_model.model.transformer.h.7.attn.c_attn.lora_A.weight"),
    (pair("transformer.ln_f", 24, 24), "adapter_fits_nothing",
     "base_model.model.transformer.ln_f.lora_A.weight"),
    ({"base_model.model.norm.weight": NAN}, "adapter_fits_nothing", "base_model.model.norm.weight"),
    ({"base_model.model.transformer.wte.weight": NAN}, "adapter_sizes",
     "base_model.model.transformer.wte.weight"),
    ({A: TENSORS[A]}, "adapter_half", A),
    ({**TENSORS, **pair(QKV.removeprefix("transformer."), 24, 72)}, "adapter_twice",
     A),
    ({**TENSORS, A.removeprefix("base_model.model."): TENSORS[A]}, "adapter_twice",
     A.removeprefix("base_model.model.")),
    ({"h.0.ln_1.bias": NAN[0], "transformer.h.0.ln_1.bias": NAN[0]}, "adapter_twice",
     "transformer.h.0.ln_1.bias"),
    ({}, "adapter_empty", "adapter_model.safetensors"),
    ({**TENSORS, A: NAN}, "adapter_not_finite", A),
    ({**TENSORS, f"base_model.model.{QKV}.lora_magnitude_vector": NAN}, "adapter_part",
     f"base_model.model.{QKV}.lora_magnitude_vector"),
    ({"base_model.model.transformer.wte.lora_embedding_A": NAN}, "adapter_part",
     "base_model.model.transformer.wte.lora_embedding_A"),
]  # fmt: skip


def test_a_tensor_that_does_not_fit_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    base = gpt2(tmp_path / "tiny")
    for tensors, reason, at in MORE:
        with subtests.test(reason, at=at):
            error = refused(base, adapter(tmp_path / "tuned", tensors))
            assert (error.reason, error.at) == (reason, at)


def test_embeddings_that_two_halves_share_are_not_replaced(tmp_path: Path) -> None:
    base = made_pair("t5", tmp_path)
    sizes = {name: shape for name, shape, _ in Checkpoint(base).tensors()}
    table = {"base_model.model.shared.weight": np.zeros(sizes["shared.weight"], np.float32)}
    assert refused(base, adapter(tmp_path / "tuned", table)).reason == "adapter_shared"


def test_an_adapter_of_another_base_is_refused_with_both_shapes(tmp_path: Path) -> None:
    tuned = adapter(tmp_path / "tuned", pair(QKV, 32, 96))
    error = refused(gpt2(tmp_path / "tiny"), tuned)
    assert error.values == {"found": "4 × 32", "said": "4 × 24", "base": "tiny"}


def without(name: str, *others: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).unlink()
        for other in others:
            (folder / other).write_bytes(b"")

    return spoil


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
SPOILT: list[tuple[Callable[[Path], object], str]] = [
    (without(CONFIG), "no_adapter"),
    (without(WEIGHTS), "adapter_alone"),
    (without(WEIGHTS, "adapter_model.bin"), "adapter_pickled"),
    (write(CONFIG, b"{"), "adapter_broken"),
    (write(CONFIG, b"[1]"), "adapter_broken"),
    (write(CONFIG, b" " * (1 << 21)), "adapter_broken"),
    (write(WEIGHTS, b""), "truncated"),
    (write(WEIGHTS, b"\xff" * 20), "header_too_long"),
    (write("tokenizer.json", b"{}"), "tokenizer_broken"),
]


def test_a_folder_that_is_not_whole_says_what_is_missing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    base = gpt2(tmp_path / "tiny")
    for number, (spoil, reason) in enumerate(SPOILT):
        with subtests.test(reason, number=number):
            tuned = adapter(tmp_path / str(number))
            spoil(tuned)
            assert refused(base, tuned).reason == reason


def test_a_path_that_is_not_there_holds_no_adapter(tmp_path: Path) -> None:
    assert refused(gpt2(tmp_path / "tiny"), tmp_path / "gone").reason == "no_adapter"


def test_an_adapter_as_a_model_says_how_to_open_it(tmp_path: Path) -> None:
    assert refused(adapter(tmp_path / "tuned")).reason == "only_adapter"


@pytest.mark.parametrize("wanted", ["someone/other", "a\0b", None])
def test_a_missing_base_is_named_with_what_is_there(wanted: str | None, tmp_path: Path) -> None:
    said = wanted if wanted and wanted.isprintable() else "–"
    bases = [gpt2(tmp_path / name) for name in ("one", "two")]
    tuned = adapter(tmp_path / "tuned", base_model_name_or_path=wanted)
    with pytest.raises(BadWeightsFile) as raised:
        ModelRegistry(models_dir(), bases, adapters=[tuned])
    assert raised.value.reason == "adapter_without_base"
    assert raised.value.values == {"base": said, "models": "one, two"}
    with pytest.raises(BadWeightsFile) as raised:
        ModelRegistry(models_dir(), adapters=[tuned])
    assert raised.value.values["models"] == "–"


def test_a_base_whose_path_goes_in_a_circle_is_not_there(tmp_path: Path) -> None:
    tuned = adapter(tmp_path / "tuned", base_model_name_or_path="circle")
    (tuned / "circle").symlink_to("circle")
    bases = [gpt2(tmp_path / name) for name in ("one", "two")]
    with pytest.raises(BadWeightsFile) as raised:
        ModelRegistry(models_dir(), bases, adapters=[tuned])
    assert raised.value.reason == "adapter_without_base"


def test_a_question_of_an_adapter_that_changed_is_refused(tmp_path: Path) -> None:
    tuned = adapter(tmp_path / "tuned")
    registry = registry_of(gpt2(tmp_path / "tiny"), tuned)
    before = asked(registry, "tiny+tuned").plan.id
    layers = registry.weights("tiny+tuned", "main").layers
    adapter(tuned, {name: 2 * one for name, one in TENSORS.items()})
    os.utime(tuned / WEIGHTS, ns=(1, 1))
    with pytest.raises(ModelChanged):
        layers[0]
    assert asked(registry, "tiny+tuned").plan.id != before
    (tuned / WEIGHTS).unlink()
    with pytest.raises(ModelChanged):
        asked(registry, "tiny+tuned")
    assert asked(registry, "tiny").checks.non_finite == 0
