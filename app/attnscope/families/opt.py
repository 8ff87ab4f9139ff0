"""OPT (Zhang et al. 2022): GPT-2 with ReLU, and two unused rows before the positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from attnscope.attention.architecture import Architecture
from attnscope.families.keys import ACTIVATIONS, Act, ConfigKeys, Count, read_keys, shape_of
from attnscope.families.layer_norm_base import LETTERS, LayerNormVariant, Spec
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "opt"
KIND = LayerNormVariant(
    family=MODEL_TYPE, start="model.decoder.", embedding="embed_tokens", layers="layers",
    final_norm="final_layer_norm", positions="embed_positions", first_position=2,
    matrices={
        "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
        "o": "self_attn.out_proj", "in": "fc1", "out": "fc2",
    },
    norms={"norm": "self_attn_layer_norm", "mlp_norm": "final_layer_norm"},
)  # fmt: skip
convert = KIND.convert


class Keys(ConfigKeys):
    silent = frozenset(
        {"activation_dropout", "attention_dropout", "dropout", "init_std", "layerdrop"}
    )

    vocab_size: Count = 50272
    hidden_size: Count = 768
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 12
    ffn_dim: Count = 3072
    max_position_embeddings: Count = 2048
    do_layer_norm_before: bool = True
    remove_final_layer_norm: bool = Field(False, alias="_remove_final_layer_norm")
    word_embed_proj_dim: Count | None = None
    num_attention_heads: Count = 12
    activation_function: Act = "relu"
    enable_bias: bool = True
    layer_norm_elementwise_affine: Literal[True] = True
    tie_word_embeddings: bool = True


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    if keys.word_embed_proj_dim not in (None, keys.hidden_size):
        raise keys.refused("word_embed_proj_dim")
    architecture = Architecture(
        shape_of(keys.hidden_size, keys.num_attention_heads), keys.num_hidden_layers,
        "pre_norm" if keys.do_layer_norm_before else "post_norm", "learned", keys.ffn_dim,
        ACTIVATIONS[keys.activation_function],
    )  # fmt: skip
    spec = Spec(
        architecture=architecture, vocabulary=keys.vocab_size,
        context=keys.max_position_embeddings, tied=keys.tie_word_embeddings,
        biased=LETTERS if keys.enable_bias else frozenset(),
        final_norm=keys.do_layer_norm_before and not keys.remove_final_layer_norm,
    )  # fmt: skip
    return KIND.about(spec, sizes)
