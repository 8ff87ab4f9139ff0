"""Falcon (Almazrouei et al. 2023).

ALiBi is refused, as the attention implementations of transformers round it differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from attnscope.attention.architecture import EPSILON, Architecture, Shape
from attnscope.families.keys import ACTIVATIONS, Act, Count, read_keys, shape_of, unknown_value
from attnscope.families.layer_norm_base import LETTERS, LayerNormVariant, Spec
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights
from attnscope.families.rope import RopeKeys, rotary_of

MODEL_TYPE = "falcon"
KIND = LayerNormVariant(
    family=MODEL_TYPE, start="transformer.", embedding="word_embeddings", layers="h",
    final_norm="ln_f", by_kv_head=True,
    matrices={
        **dict.fromkeys("qkv", "self_attention.query_key_value"), "o": "self_attention.dense",
        "in": "mlp.dense_h_to_4h", "out": "mlp.dense_4h_to_h",
    },
    norms={"norm": "input_layernorm", "mlp_norm": "post_attention_layernorm"},
)  # fmt: skip
TWO = replace(KIND, norms={"norm": "ln_attn", "mlp_norm": "ln_mlp"})


class Keys(RopeKeys):
    silent = frozenset({"attention_dropout", "hidden_dropout"})

    vocab_size: Count = 65024
    hidden_size: Count = 4544
    n_embed: Count | None = None
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 32
    num_attention_heads: Count = 71
    num_kv_heads: Count | None = None
    num_ln_in_parallel_attn: Literal[1, 2] | None = None
    layer_norm_epsilon: Annotated[float, Field(ge=0, le=1)] = EPSILON
    alibi: Literal[False] | None = False
    new_decoder_architecture: bool = False
    multi_query: bool = True
    parallel_attn: bool = True
    bias: bool = False
    max_position_embeddings: Count = 2048
    ffn_hidden_size: Count | None = None
    activation: Act = "gelu"
    apply_residual_connection_post_layernorm: Literal[False] = False
    tie_word_embeddings: bool = True

    def shape(self) -> Shape:
        """The old decoder architecture has one key/value head, or one per query head."""
        heads, shared = self.num_attention_heads, self.num_kv_heads
        if not self.new_decoder_architecture:
            if not self.multi_query and shared not in (None, heads):
                raise self.refused("num_kv_heads")
            shared = 1 if self.multi_query else heads
        at = ("num_attention_heads", "num_kv_heads")
        return shape_of(self.n_embed or self.hidden_size, heads, shared, at=at)

    def two_norms(self) -> bool:
        """Whether the parallel MLP has its own norm."""
        new, norms = self.new_decoder_architecture, self.num_ln_in_parallel_attn
        if new and not self.parallel_attn:
            raise unknown_value("parallel_attn", "false")
        if norms == 2 and not new:
            raise self.refused("num_ln_in_parallel_attn")
        return new and norms != 1


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    keys = read_keys(config, Keys)
    shape, two, parallel = keys.shape(), keys.two_norms(), keys.parallel_attn
    rotary = rotary_of(keys.rotary_mapping(), shape.d_k, keys.max_position_embeddings)
    architecture = Architecture(
        shape, keys.num_hidden_layers, "parallel" if parallel else "pre_norm", "rotary",
        keys.ffn_hidden_size or 4 * shape.d_model, ACTIVATIONS[keys.activation],
        epsilon=keys.layer_norm_epsilon, rotary=rotary,
    )  # fmt: skip
    spec = Spec(
        architecture=architecture, vocabulary=keys.vocab_size,
        context=keys.max_position_embeddings, tied=keys.tie_word_embeddings,
        biased=LETTERS if keys.bias else frozenset(),
        norms=frozenset({"norm", "mlp_norm"} if two or not parallel else {"norm"}),
    )  # fmt: skip
    return (TWO if two else KIND).about(spec, sizes)


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    two = any(name.endswith("h.0.ln_attn.weight") for name in tensors)
    return (TWO if two else KIND).convert(about, tensors)
