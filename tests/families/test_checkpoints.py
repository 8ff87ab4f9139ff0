"""A model on the disk: found, read where it lies, named by its content, never half of it new."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attnscope.errors import BadWeightsFile, ModelChanged
from attnscope.families.model import Weights
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.weights.formats.mapped import map_files
from tests.families.asking import ask
from tests.families.cases import HEADS, made, with_a_head
from tests.families.made import GPT2, checkpoint, gpt2, gpt2_tensors
from tests.families.seq2seq_made import made_pair
from tests.safetensors_files import write_safetensors


def arrays(weights: Weights) -> list[np.ndarray]:
    layers = [array for layer in weights.layers for array in layer.arrays().values()]
    return [*layers, weights.embedding]


def sharded(folder: Path) -> Path:
    """The same checkpoint in two files with their index."""
    whole = folder / "model.safetensors"
    tensors = load_file(whole)
    names = sorted(tensors)
    parts = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
    for file, part in parts.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    index = {"weight_map": {name: file for file, part in parts.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    whole.unlink()
    return folder


def test_numbers_in_float32_are_not_copied(tmp_path: Path) -> None:
    weights = Checkpoint(gpt2(tmp_path / "tiny")).weights
    for array in arrays(weights):
        assert not array.flags.owndata
        assert not array.flags.writeable


def test_shards_are_one_checkpoint(tmp_path: Path) -> None:
    whole, parts = (Checkpoint(gpt2(tmp_path / name)).weights for name in ("a", "b"))
    parts = Checkpoint(sharded(tmp_path / "b")).weights
    for one, other in zip(arrays(whole), arrays(parts), strict=True):
        np.testing.assert_array_equal(one, other)


def test_numbers_of_other_types_are_computed_with_in_float32(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for dtype in ("float16", "bfloat16", "float64"):
        with subtests.test(dtype):
            folder = gpt2(tmp_path / "tiny")
            tensors = load_file(folder / "model.safetensors")
            (folder / "model.safetensors").write_bytes(write_safetensors(tensors, {}, dtype))
            dtypes = {kind for _, _, kind in Checkpoint(folder).tensors()}
            assert dtypes == {dtype}
            weights = arrays(Checkpoint(folder).weights)
            assert {array.dtype for array in weights} == {np.dtype(np.float32)}
            bound = {"float16": 1e-3, "bfloat16": 1e-2, "float64": 0}[dtype]
            exact = gpt2_tensors(GPT2)["transformer.wte.weight"]
            np.testing.assert_allclose(weights[-1], exact, rtol=bound, atol=bound)


def test_names_of_other_heads_begin_otherwise(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """In transformers' models that answer questions or classify."""
    for case, starts in (("llama", ["model."]), ("t5", ["encoder.", "decoder.", "shared."])):
        with subtests.test(case):
            folder = (made_pair if case == "t5" else made)(case, tmp_path)
            whole = [array.copy() for array in arrays(Checkpoint(folder).weights)]
            file = folder / "model.safetensors"
            tensors = {
                f"transformer.{name.removeprefix('model.')}": array
                for name, array in load_file(file).items()
                if name.startswith(tuple(starts))
            }
            save_file(tensors, file)
            named = arrays(Checkpoint(folder).weights)
            for one, other in zip(whole, named, strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_folder_of_checkpoints_brings_all_of_them(tmp_path: Path) -> None:
    for name in ("one", "two"):
        gpt2(tmp_path / name)
    (tmp_path / "notes").mkdir()
    names = list(ModelRegistry(models_dir(), [tmp_path]).models)
    assert names[-2:] == ["one", "two"]
    assert "echo" in names


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        gpt2(tmp_path / folder / "same")
    with pytest.raises(BadWeightsFile) as refused:
        ModelRegistry(models_dir(), [tmp_path / "a/same", tmp_path / "b/same"])
    assert refused.value.reason == "name_twice"


def test_what_is_asked_is_named_by_the_files(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    first = ask(folder, "a b").plan
    assert ask(folder, "a b").plan.id == first.id
    checkpoint(folder, GPT2, gpt2_tensors(GPT2, seed=1))
    os.utime(folder / "model.safetensors", ns=(1, 1))
    assert ask(folder, "a b").plan.id != first.id


def test_a_question_of_files_that_changed_is_refused(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    asked = ask(folder, "a b").plan.question.model.model_dump()
    os.utime(folder / "model.safetensors", ns=(1, 1))
    with pytest.raises(ModelChanged):
        ask(folder, "a b", model=asked)


def test_a_model_that_is_gone_says_so(tmp_path: Path) -> None:
    model = Checkpoint(gpt2(tmp_path / "tiny"))
    (tmp_path / "tiny/model.safetensors").unlink()
    with pytest.raises(ModelChanged) as refused:
        model.digest("main")
    assert refused.value.reason == "model_gone"


def lying(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


def test_a_file_that_lies_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases = [
        b"", b"\xff" * 8, lying(b"{"), lying(b"[]"),
        lying(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'),
        lying(b'{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}') + b"\0",
    ]  # fmt: skip
    for content in cases:
        with subtests.test(content=content):
            path = tmp_path / "model.safetensors"
            path.write_bytes(content)
            with pytest.raises(BadWeightsFile):
                map_files([path])


def test_files_that_change_between_two_layers_end_the_answer(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    layers = Checkpoint(folder).weights.layers
    assert len(layers) == len(layers[:]) == 2
    assert layers[0].w_q.shape == layers[1:][0].w_q.shape == (24, 24)
    os.utime(folder / "model.safetensors", ns=(1, 1))
    with pytest.raises(ModelChanged):
        layers[1]
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelChanged):
        layers[0:][1]


def test_a_head_in_the_file_is_the_unembedding(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case in HEADS:
        with subtests.test(case):
            weights = Checkpoint(with_a_head(case, tmp_path)).weights
            assert weights.unembedding is not None
            assert np.array_equal(weights.unembedding.matrix, weights.embedding[::-1].T)
