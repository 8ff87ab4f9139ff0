"""A .gguf file is the same model as the folder that it was made of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile, ModelChanged
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from tests.families.asking import ask
from tests.families.cases import CASES, TEXT
from tests.families.encoders import BERT, encoder_tensors
from tests.families.made import (
    GPT2,
    checkpoint,
    gpt2_tensors,
    tokenizer,
    word_pieces,
)
from tests.gguf_files import (
    bert_gguf,
    byte_level_keys,
    gpt2_gguf,
    word_piece_keys,
    write_gguf,
)
from tests.weights.formats.test_gguf import refusal_of

SAME = ["gpt2", "gpt2_wide", "gpt2_epsilon", "gpt2_untied", "bert", "bert_epsilon"]


def made(case: str, at: Path) -> tuple[Path, Path]:
    """The checkpoint of a case, as a folder and as a file."""
    at.mkdir(parents=True, exist_ok=True)
    if case.startswith("bert"):
        config = {**BERT, **CASES[case]}
        tensors, definition = encoder_tensors(config), word_pieces()
        file = bert_gguf(at / f"{case}.gguf", config, tensors, word_piece_keys(definition))
    else:
        config = {**GPT2, **CASES[case]}
        tensors, definition = gpt2_tensors(config), tokenizer()
        if not config.get("tie_word_embeddings", True):
            tensors["lm_head.weight"] = tensors["transformer.wte.weight"][::-1].copy()
        file = gpt2_gguf(at / f"{case}.gguf", config, tensors, byte_level_keys(definition))
    return checkpoint(at / "folder", config, tensors, tokenizer=definition), file


def test_folder_and_file_are_one_model(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case in SAME:
        with subtests.test(case):
            folder, file = made(case, tmp_path)
            one, other = Checkpoint(folder), Checkpoint(file)
            assert (one.config, other.name) == (other.config, case)
            weights = [model.weights for model in (one, other)]
            layers = [[layer.arrays() for layer in each.layers] for each in weights]
            assert len(layers[0]) == len(layers[1])
            for ours, theirs in zip(*layers, strict=True):
                assert ours.keys() == theirs.keys()
                for name in ours:
                    np.testing.assert_array_equal(ours[name], theirs[name])
                    assert not theirs[name].flags.owndata  # mapped, not copied
            for name in ("embedding", "position"):
                np.testing.assert_array_equal(*(getattr(each, name) for each in weights))
            heads = [each.unembedding for each in weights]
            if heads[0] is not None:
                assert heads[1] is not None
                np.testing.assert_array_equal(heads[0].matrix, heads[1].matrix)
            traces = [ask(path, TEXT) for path in (folder, file)]
            assert traces[0].plan.words.tokens == traces[1].plan.words.tokens
            assert traces[0].plan.words.offsets == traces[1].plan.words.offsets
            for ours, theirs in zip(traces[0].layers, traces[1].layers, strict=True):
                np.testing.assert_allclose(ours["block_output"], theirs["block_output"], atol=2e-6)


def test_numbers_of_other_kinds_are_named_and_computed_with_in_float32(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for kind, bound in (("F16", 2e-3), ("Q8_0", 0.05), ("Q4_1", 0.7)):
        with subtests.test(kind):
            config = {**GPT2, "n_embd": 96, "n_inner": 64}
            tensors = gpt2_tensors(config)
            file = tmp_path / f"{kind}.gguf"
            path = gpt2_gguf(file, config, tensors, byte_level_keys(tokenizer()), kind)
            model = Checkpoint(path)
            dtypes = {name: dtype for name, _, dtype in model.tensors()}
            assert dtypes["h.0.attn.c_attn.weight"] == {"F16": "float16"}.get(kind, kind)
            assert dtypes["ln_f.weight"] == "float32"
            assert model.bytes == path.stat().st_size
            (first, *_) = model.weights.layers
            assert first.w_q.dtype == np.float32
            exact = tensors["transformer.h.0.attn.c_attn.weight"][:, :96]
            error = np.abs(first.w_q - exact).max()
            assert 0 < error < bound


def spoilt(**changes: Any) -> Callable[[Path], Path]:
    """A file of GPT-2 with other keys; None takes one away."""

    def make(path: Path) -> Path:
        more = {key.replace("__", "."): value for key, value in changes.items()}
        keys = {**byte_level_keys(tokenizer()), **more}
        return gpt2_gguf(path, GPT2, gpt2_tensors(GPT2), keys)

    return make


def without(name: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        tensors = gpt2_tensors(GPT2)
        del tensors[name]
        return gpt2_gguf(path, GPT2, tensors, byte_level_keys(tokenizer()))

    return make


def foreign(path: Path) -> Path:
    return write_gguf(path, "mamba", {}, {"w": np.zeros((2, 2), np.float32)})


def stranger(path: Path) -> Path:
    keys = {"gpt2.attention.head_count": 3}
    return write_gguf(path, "gpt2", keys, {"blk.0.attn_gate.weight": np.zeros(3, np.float32)})


def test_a_file_that_is_not_computed_here_says_why(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases = [
        (foreign, "gguf_architecture"),
        (stranger, "gguf_tensors"),
        (spoilt(split__count=2), "gguf_split"),
        (spoilt(gpt2__rope__freq_base=1e4), "gguf_keys"),
        (spoilt(gpt2__attention__head_count_kv=1), "gguf_only"),
        (spoilt(gpt2__vocab_size=299), "other_sizes"),
        (without("transformer.h.1.attn.c_attn.weight"), "missing_tensors"),
        (without("transformer.wte.weight"), "missing_tensors"),
    ]  # fmt: skip
    for number, (make, reason) in enumerate(cases):
        with subtests.test(reason, number=number):
            path = make(tmp_path / f"{number}.gguf")
            assert refusal_of(partial(Checkpoint, path)).reason == reason


def test_files_and_folders_stand_side_by_side(tmp_path: Path) -> None:
    folder, file = made("gpt2", tmp_path / "models")
    names = list(ModelRegistry(models_dir(), [tmp_path / "models"]).models)
    assert names[-2:] == ["folder", "gpt2"]
    assert list(ModelRegistry(models_dir(), [file]).models)[-1] == "gpt2"
    (folder / "model.safetensors").unlink()
    shutil.copy(file, folder / "inner.Q8_0.gguf")
    names = list(ModelRegistry(models_dir(), [folder]).models)
    assert names[-1] == "inner.Q8_0"  # of a folder with a config alone, the files are meant


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    _, file = made("gpt2", tmp_path)
    (tmp_path / "folder").rename(tmp_path / "gpt2")
    with pytest.raises(BadWeightsFile) as refused:
        ModelRegistry(models_dir(), [file, tmp_path / "gpt2"])
    assert refused.value.reason == "name_twice"


def test_a_file_that_changes_is_another_and_one_that_is_gone_says_so(tmp_path: Path) -> None:
    _, file = made("gpt2", tmp_path)
    registry = ModelRegistry(models_dir(), [file])
    model = registry.find("gpt2")
    first = model.digest("main")
    asked = ask(file, "a b").plan.question.model.model_dump()
    os.utime(file, ns=(1, 1))
    assert model.digest("main") != first
    with pytest.raises(ModelChanged):
        ask(file, "a b", model=asked)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ModelChanged) as refused:
        model.digest("main")
    assert refused.value.reason == "model_gone"
    file.unlink()
    with pytest.raises(ModelChanged):
        assert model.config
