"""BLOOM (BigScience Workshop 2022): layer norm after the embedding, ALiBi.

BLOOM adds slope · j to scores, attnscope subtracts slope · |i − j|: the softmax of a causal row
is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from attnscope.attention.architecture import EPSILON, Architecture
from attnscope.families.keys import ConfigKeys, Count, read_keys, shape_of
from attnscope.families.layer_norm_base import LayerNormVariant, Spec
from attnscope.families.model import ModelConfig, Sizes

MODEL_TYPE = "bloom"
# transformers ignores n_inner: the MLP is always 4 · hidden_size wide.
SAYS_NOTHING = """
    attention_dropout attention_softmax_in_fp32 bias_dropout_fusion hidden_dropout
    masked_softmax_fusion n_inner offset_alibi pretraining_tp skip_bias_add skip_bias_add_qkv
    slow_but_exact
"""
KIND = LayerNormVariant(
    family=MODEL_TYPE, start="transformer.", embedding="word_embeddings", layers="h",
    final_norm="ln_f", embedding_norm="word_embeddings_layernorm", by_kv_head=True,
    matrices={
        **dict.fromkeys("qkv", "self_attention.query_key_value"), "o": "self_attention.dense",
        "in": "mlp.dense_h_to_4h", "out": "mlp.dense_4h_to_h",
    },
    norms={"norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"},
)  # fmt: skip
convert = KIND.convert
Deep = Annotated[int, Field(ge=1, le=1024)]


class Keys(ConfigKeys):
    silent = frozenset(SAYS_NOTHING.split())

    vocab_size: Count = 250880
    hidden_size: Count = 64
    n_embed: Count | None = None
    n_layer: Deep = 2
    num_hidden_layers: Deep | None = None
    n_head: Count = 8
    num_attention_heads: Count | None = None
    layer_norm_epsilon: Annotated[float, Field(ge=0, le=1)] = EPSILON
    apply_residual_connection_post_layernorm: Literal[False] = False
    seq_length: Count = 2048
    tie_word_embeddings: bool = True


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    width, heads = keys.n_embed or keys.hidden_size, keys.num_attention_heads or keys.n_head
    architecture = Architecture(
        shape_of(width, heads), keys.num_hidden_layers or keys.n_layer, "pre_norm", "alibi",
        4 * width, epsilon=keys.layer_norm_epsilon,
    )  # fmt: skip
    spec = Spec(
        architecture=architecture, vocabulary=keys.vocab_size, context=keys.seq_length,
        tied=keys.tie_word_embeddings,
    )  # fmt: skip
    return KIND.about(spec, sizes)
