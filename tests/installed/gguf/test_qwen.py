"""Kin of Llama in .gguf files: the same numbers as the folder that they were made of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from attnscope.errors import BadWeightsFile
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.gguf.file import GgufFile
from tests.families.asking import ask
from tests.families.cases import made
from tests.families.made import tokenizer
from tests.gguf_files import LLAMA_NAMES, byte_level_keys, file_name, write_gguf

TEXT = "The animal didn't"
NAMES = {**LLAMA_NAMES, "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm"}


def as_file(folder: Path, path: Path, **more: object) -> Path:
    """The model of a folder as one file."""
    config = json.loads((folder / "config.json").read_bytes())
    kind = config["model_type"]
    keys = {
        "block_count": config["num_hidden_layers"],
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.key_length": config["head_dim"],
        "attention.value_length": config["head_dim"],
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.freq_base": 1e4,
        **more,
    }
    prefixed = {f"{kind}.{key}": value for key, value in keys.items()}
    tensors = load_file(folder / "model.safetensors")
    stored = {file_name(name, NAMES): array for name, array in tensors.items()}
    return write_gguf(path, kind, {**prefixed, **byte_level_keys(tokenizer())}, stored)


@pytest.mark.parametrize("kind", ["qwen2", "qwen3"])
def test_a_file_computes_what_its_folder_computes(kind: str, tmp_path: Path) -> None:
    folder = made(kind, tmp_path)
    file = as_file(folder, tmp_path / "small.gguf")
    whole, found = ask(folder, TEXT), ask(file, TEXT)
    assert found.plan.words.tokens == whole.plan.words.tokens
    for one, other in zip(whole.layers, found.layers, strict=True):
        for name in ("q", "k", "weights", "block_output"):
            np.testing.assert_allclose(other[name], one[name], rtol=0, atol=1e-6, err_msg=name)
    assert Checkpoint(file).config.family == kind


def test_a_factor_of_attention_is_refused_unless_it_is_1(tmp_path: Path) -> None:
    folder, key = made("qwen2", tmp_path), "rope.scaling.attn_factor"
    assert GgufFile(as_file(folder, tmp_path / "a.gguf", **{key: 1.0})).read().config
    with pytest.raises(BadWeightsFile) as refused:
        GgufFile(as_file(folder, tmp_path / "b.gguf", **{key: 1.5})).read()
    assert refused.value.values["key"] == f"qwen2.{key}"
