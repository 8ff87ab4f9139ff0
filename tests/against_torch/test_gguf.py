"""Files of the llama kind as transformers reads them: the same config, the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from app.installed.gguf.file import GgufFile
from tests.installed.gguf.test_llama import llama_gguf, llama_tensors


@pytest.mark.parametrize("head", [False, True])
def test_transformers_makes_the_same_of_a_file(head: bool, tmp_path: Path) -> None:
    extra = {"lm_head.weight": (300, 24)} if head else {}
    tensors = llama_tensors(np.random.default_rng(6), extra)
    tensors = {name: array for name, array in tensors.items() if not name.endswith(".bias")}
    file = llama_gguf(tmp_path / "tiny.gguf", tensors)
    found = GgufFile(file).read()
    model = LlamaForCausalLM(LlamaConfig(**_plain(found.config)))
    theirs = load_gguf_checkpoint(str(file), return_tensors=True, model_to_load=model)
    assert found.tensors.keys() == theirs["tensors"].keys()
    for name, array in theirs["tensors"].items():
        np.testing.assert_array_equal(found.tensors[name], array.numpy())
    told = LlamaConfig(**_plain(theirs["config"]))
    for key in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                "num_key_value_heads", "head_dim", "intermediate_size", "rope_parameters",
                "max_position_embeddings", "tie_word_embeddings"):  # fmt: skip
        assert getattr(model.config, key) == getattr(told, key), key
    assert model.config.rms_norm_eps == pytest.approx(told.rms_norm_eps, rel=1e-6)


def _plain(config: dict) -> dict:
    return {key: value for key, value in config.items() if key != "model_type"}
