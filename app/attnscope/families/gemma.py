"""Gemma (Gemma Team 2024): embeddings × √hidden_size, norms with gain 1 + weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from attnscope.families import llama_base
from attnscope.families.keys import Act, Count, Width, read_keys
from attnscope.families.llama_base import LlamaVariant
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "gemma"
KIND = LlamaVariant(MODEL_TYPE, gain=1.0)
convert = KIND.convert


class Keys(llama_base.Keys):
    """`hidden_act` gelu is computed as gelu_pytorch_tanh."""

    vocab_size: Count = 256000
    hidden_size: Count = 3072
    intermediate_size: Count = 24576
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 16
    head_dim: Width | None = 256
    hidden_act: Act = "gelu_pytorch_tanh"
    hidden_activation: Literal["gelu_pytorch_tanh"] | None = None
    max_position_embeddings: Count = 8192
    tie_word_embeddings: bool = True
    attention_bias: bool = False
    use_bidirectional_attention: Literal[False] | None = None

    @property
    def embedding_scale(self) -> float:
        return float(np.float32(self.hidden_size**0.5))


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    if keys.hidden_act == "gelu":
        keys = keys.model_copy(update={"hidden_act": "gelu_pytorch_tanh"})
    biases = frozenset("qkvo") if keys.attention_bias else frozenset()
    return KIND.about(
        keys, keys.architecture(), sizes, biases, embedding_scale=keys.embedding_scale
    )
