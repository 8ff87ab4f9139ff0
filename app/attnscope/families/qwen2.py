"""Qwen2 (Yang et al. 2024): biases on q, k and v."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from attnscope.attention.architecture import LayerSettings
from attnscope.families import llama_base
from attnscope.families.keys import Count, check_types, read_keys
from attnscope.families.llama_base import LlamaVariant
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "qwen2"
KIND = LlamaVariant(MODEL_TYPE)
convert = KIND.convert
LayerType = Literal["full_attention", "sliding_attention"]


class Keys(llama_base.Keys):
    vocab_size: Count = 151936
    intermediate_size: Count = 22016
    num_key_value_heads: Count | None = 32
    max_position_embeddings: Count = 32768
    use_sliding_window: bool = False
    sliding_window: Count | None = 4096
    max_window_layers: int = Field(28, ge=0)
    layer_types: list[LayerType] | None = None

    @property
    def own(self) -> tuple[LayerSettings, ...]:
        window = self.sliding_window if self.use_sliding_window else None
        layers = range(self.num_hidden_layers)
        types = self.layer_types or [
            "sliding_attention" if i >= self.max_window_layers else "full_attention" for i in layers
        ]
        windows = [window if kind == "sliding_attention" else None for kind in types]
        return tuple(LayerSettings(window=one) for one in windows) if any(windows) else ()


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    check_types(keys.layer_types, keys.num_hidden_layers)
    return KIND.about(keys, keys.architecture(own=keys.own), sizes, frozenset("qkv"))
