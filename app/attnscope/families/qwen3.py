"""Qwen3 (Yang et al. 2025): RMS norms of q and k."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import qwen2
from attnscope.families.keys import Width, check_types, read_keys
from attnscope.families.llama_base import HEAD_NORMS, VECTORS, LlamaVariant
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "qwen3"
KIND = LlamaVariant(MODEL_TYPE, {**VECTORS, **HEAD_NORMS})
convert = KIND.convert


class Keys(qwen2.Keys):
    head_dim: Width | None = 128
    attention_bias: bool = False


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    check_types(keys.layer_types, keys.num_hidden_layers)
    architecture = keys.architecture(own=keys.own, normed_heads=True)
    biases = frozenset("qkvo") if keys.attention_bias else frozenset()
    return KIND.about(keys, architecture, sizes, biases)
