"""Phi-3 and 4 (Abdin et al. 2024): Llama with fused projections, LongRoPE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attnscope.attention.positions import Rotary
from attnscope.families import llama_base
from attnscope.families.keys import Count, read_keys, unknown_value
from attnscope.families.llama_base import MATRICES, SAYS_NOTHING, LlamaVariant
from attnscope.families.model import ModelConfig, Sizes
from attnscope.families.rope import rotary_of

MODEL_TYPE = "phi3"
QKV, GATED = "self_attn.qkv_proj", "mlp.gate_up_proj"
FUSED = {**MATRICES, **dict.fromkeys("qkv", QKV), "gate": GATED, "in": GATED}
KIND = LlamaVariant(MODEL_TYPE, matrices=FUSED)
convert = KIND.convert
# The kind that Phi-3 names "yarn" is LongRoPE.
ROPES = {"default": "default", "longrope": "longrope", "su": "longrope", "yarn": "longrope"}


class Keys(llama_base.Keys):
    """transformers ignores the last five keys, so only their defaults are accepted."""

    silent = SAYS_NOTHING | {"embd_pdrop", "resid_pdrop"}
    kinds = ROPES

    vocab_size: Count = 32064
    hidden_size: Count = 3072
    intermediate_size: Count = 8192
    max_position_embeddings: Count = 4096
    original_max_position_embeddings: Count = 4096
    rms_norm_eps: float = 1e-5
    sliding_window: Count | None = None
    attention_bias: Literal[False] = False
    mlp_bias: Literal[False] = False
    lm_head_bias: Literal[False] = False
    full_attn_mod: Literal[1] = 1
    interpolate_factor: Literal[1] = 1

    def rotary(self) -> Rotary:
        mapping = self.rotary_mapping()
        kind = str(mapping.pop("rope_type", mapping.pop("type", "default")))
        mapping.pop("type", None)
        if kind not in ROPES:
            raise unknown_value("rope_type", kind)
        mapping.pop("original_max_position_embeddings", None)
        first, most = self.original_max_position_embeddings, self.max_position_embeddings
        mapping["rope_type"] = ROPES[kind]
        return rotary_of(mapping, self.shape.d_k, most, first, partial=True)


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    architecture = keys.architecture(rotary=keys.rotary(), window=keys.sliding_window)
    return KIND.about(keys, architecture, sizes)
