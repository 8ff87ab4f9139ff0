"""Gemma 3, text only (Gemma Team 2025): by default, a full layer after five windowed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import Field

from attnscope.attention.architecture import Architecture, LayerSettings
from attnscope.attention.positions import Rotary
from attnscope.families import gemma2
from attnscope.families.gemma2 import Cap
from attnscope.families.keys import Count, read_keys
from attnscope.families.llama_base import HEAD_NORMS, LlamaVariant
from attnscope.families.model import ModelConfig, Sizes
from attnscope.families.qwen2 import LayerType
from attnscope.families.rope import Theta, rotary_of

MODEL_TYPE = "gemma3_text"
KIND = LlamaVariant(MODEL_TYPE, {**gemma2.VECTORS, **HEAD_NORMS}, gain=1.0)
convert = KIND.convert


class Keys(gemma2.Keys):
    silent = gemma2.Keys.silent | {"_sliding_window_pattern"}  # implied by layer_types
    layer_kinds = frozenset(get_args(LayerType))

    vocab_size: Count = 262208
    max_position_embeddings: Count = 131072
    attn_logit_softcapping: None = None  # transformers ignores this key
    final_logit_softcapping: Cap | None = None
    rope_theta: Theta | None = 1_000_000.0
    rope_local_base_freq: Theta = 10_000.0
    sliding_window_pattern: Annotated[int, Field(ge=1)] = 6

    def types(self) -> list[LayerType]:
        return self.layer_types or [
            "sliding_attention" if (i + 1) % self.sliding_window_pattern else "full_attention"
            for i in range(self.num_hidden_layers)
        ]

    def own(self) -> tuple[LayerSettings, ...]:
        turned = {kind: self.rotary_in(kind) for kind in set(self.types())}
        return tuple(
            LayerSettings(
                self.sliding_window if kind == "sliding_attention" else None, turned[kind]
            )
            for kind in self.types()
        )

    def scaled(self, **more: Any) -> Architecture:
        rotary = self.rotary_in("full_attention")
        return super().scaled(normed_heads=True, rotary=rotary, **more)

    def rotary_in(self, kind: LayerType) -> Rotary:
        """`rope_scaling` applies only to layers without a window."""
        whole = kind == "full_attention"
        theta = self.rope_theta if whole else self.rope_local_base_freq
        nested = (self.rope_parameters or {}).get(kind)
        mapping = nested or (self.rope_scaling if whole else None) or {}
        return rotary_of(
            {"rope_theta": theta, **mapping}, self.shape.d_k, self.max_position_embeddings
        )


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    return gemma2.about_variant(KIND, read_keys(config, Keys), sizes)
