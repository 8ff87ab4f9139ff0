"""Gemma 2 (Gemma Team 2024): sandwich norms, soft caps, windows in every other layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from attnscope.attention.architecture import Architecture, LayerSettings
from attnscope.families import gemma
from attnscope.families.keys import Act, Count, check_types, read_keys
from attnscope.families.llama_base import SAYS_NOTHING, LlamaVariant
from attnscope.families.model import ModelConfig, Sizes
from attnscope.families.qwen2 import LayerType

MODEL_TYPE = "gemma2"
VECTORS = {
    "norm_gain": "input_layernorm.weight", "post_norm_gain": "post_attention_layernorm.weight",
    "mlp_norm_gain": "pre_feedforward_layernorm.weight",
    "mlp_post_norm_gain": "post_feedforward_layernorm.weight",
}  # fmt: skip
KIND = LlamaVariant(MODEL_TYPE, VECTORS, gain=1.0)
convert = KIND.convert
Cap = Annotated[float, Field(gt=0)]


class Keys(gemma.Keys):
    silent = SAYS_NOTHING | {"cache_implementation"}

    hidden_size: Count = 2304
    intermediate_size: Count = 9216
    num_hidden_layers: Count = 26
    num_attention_heads: Count = 8
    num_key_value_heads: Count | None = 4
    hidden_activation: Act | None = "gelu_pytorch_tanh"  # type: ignore[assignment]
    query_pre_attn_scalar: Annotated[float, Field(gt=0)] = 256
    attn_logit_softcapping: Cap | None = 50.0
    final_logit_softcapping: Cap | None = 30.0
    sliding_window: Count | None = 4096
    layer_types: list[LayerType] | None = None

    def types(self) -> list[LayerType]:
        return self.layer_types or [
            "full_attention" if i % 2 else "sliding_attention"
            for i in range(self.num_hidden_layers)
        ]

    def own(self) -> tuple[LayerSettings, ...]:
        windowed = [kind == "sliding_attention" for kind in self.types()]
        return tuple(LayerSettings(window=self.sliding_window if one else None) for one in windowed)

    def scaled(self, **more: Any) -> Architecture:
        return self.architecture(
            block="sandwich_norm", scale=self.query_pre_attn_scalar**-0.5,
            score_cap=self.attn_logit_softcapping, own=self.own(), **more,
        )  # fmt: skip


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    return about_variant(KIND, read_keys(config, Keys), sizes)


def about_variant(variant: LlamaVariant, keys: Keys, sizes: Sizes) -> ModelConfig:
    check_types(keys.layer_types, keys.num_hidden_layers)
    keys = keys.model_copy(update={"hidden_act": keys.hidden_activation or keys.hidden_act})
    biases = frozenset("qkvo") if keys.attention_bias else frozenset()
    return variant.about(
        keys, keys.scaled(), sizes, biases,
        embedding_scale=keys.embedding_scale, logit_cap=keys.final_logit_softcapping,
    )  # fmt: skip
