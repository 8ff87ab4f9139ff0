"""Mistral (Jiang et al. 2023): sliding windows in all layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnscope.families import llama_base
from attnscope.families.keys import Count, read_keys
from attnscope.families.llama_base import LlamaVariant
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "mistral"
KIND = LlamaVariant(MODEL_TYPE)
convert = KIND.convert


class Keys(llama_base.Keys):
    intermediate_size: Count = 14336
    num_key_value_heads: Count | None = 8
    max_position_embeddings: Count = 131072
    sliding_window: Count | None = 4096


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    return KIND.about(keys, keys.architecture(window=keys.sliding_window), sizes)
