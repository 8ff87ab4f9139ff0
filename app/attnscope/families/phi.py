"""Phi-1, 1.5 and 2 (Gunasekar et al. 2023; Li et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from attnscope.attention.architecture import EPSILON, Architecture
from attnscope.families.keys import ACTIVATIONS, Act, Count, read_keys, shape_of, unknown_value
from attnscope.families.layer_norm_base import LayerNormVariant, Spec
from attnscope.families.model import ModelConfig, Sizes
from attnscope.families.rope import PROPORTIONAL, RopeKeys, kind_of, rotary_of

MODEL_TYPE = "phi"
KIND = LayerNormVariant(
    family=MODEL_TYPE, start="model.", embedding="embed_tokens", layers="layers",
    final_norm="final_layernorm",
    matrices={
        "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
        "o": "self_attn.dense", "in": "mlp.fc1", "out": "mlp.fc2",
    },
    norms={
        "norm": "input_layernorm", "q_norm": "self_attn.q_layernorm",
        "k_norm": "self_attn.k_layernorm",
    },
)  # fmt: skip
convert = KIND.convert


class Keys(RopeKeys):
    silent = frozenset({"attention_dropout", "embd_pdrop", "resid_pdrop"})

    vocab_size: Count = 51200
    hidden_size: Count = 2048
    intermediate_size: Count = 8192
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 24
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: None = None  # refused, as only attention reads it in transformers
    hidden_act: Act = "gelu_new"
    max_position_embeddings: Count = 2048
    layer_norm_eps: Annotated[float, Field(ge=0, le=1)] = EPSILON
    partial_rotary_factor: Annotated[float, Field(gt=0, le=1)] = 0.5
    qk_layernorm: bool = False
    tie_word_embeddings: bool = False


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    mapping = keys.rotary_mapping()
    if kind_of(mapping) == PROPORTIONAL:  # of whole heads
        raise unknown_value("rope_type", PROPORTIONAL)
    shape = shape_of(keys.hidden_size, keys.num_attention_heads, keys.num_key_value_heads)
    architecture = Architecture(
        shape, keys.num_hidden_layers, "parallel", "rotary", keys.intermediate_size,
        ACTIVATIONS[keys.hidden_act], epsilon=keys.layer_norm_eps, normed_heads=keys.qk_layernorm,
        rotary=rotary_of(mapping, shape.d_k, keys.max_position_embeddings, partial=True),
    )  # fmt: skip
    norms = {"norm", "q_norm", "k_norm"} if keys.qk_layernorm else {"norm"}
    spec = Spec(
        architecture=architecture, vocabulary=keys.vocab_size,
        context=keys.max_position_embeddings, tied=keys.tie_word_embeddings,
        norms=frozenset(norms), head_bias=True,
    )  # fmt: skip
    return KIND.about(spec, sizes)
