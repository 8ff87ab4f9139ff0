from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.unembed import Unembedding
from attnscope.families.keys import (
    ACTIVATIONS,
    Act,
    Count,
    Width,
    check_no_extra,
    check_sizes,
    shape_of,
)
from attnscope.families.layers import TensorNames
from attnscope.families.model import ModelConfig, Sizes, Tensors, Weights
from attnscope.families.rope import RopeKeys, rotary_of

SAYS_NOTHING = frozenset({"attention_dropout", "pretraining_tp"})
HEAD = "lm_head.weight"
MATRICES = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
    "o": "self_attn.o_proj", "gate": "mlp.gate_proj", "in": "mlp.up_proj", "out": "mlp.down_proj",
}  # fmt: skip
VECTORS = {
    "norm_gain": "input_layernorm.weight", "mlp_norm_gain": "post_attention_layernorm.weight",
}  # fmt: skip
HEAD_NORMS = {"q_norm_gain": "self_attn.q_norm.weight", "k_norm_gain": "self_attn.k_norm.weight"}


class Keys(RopeKeys):
    silent = SAYS_NOTHING

    vocab_size: Count = 32000
    hidden_size: Count = 4096
    intermediate_size: Count = 11008
    num_hidden_layers: Annotated[int, Field(ge=1, le=1024)] = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Width | None = None
    hidden_act: Act = "silu"
    max_position_embeddings: Count = 2048
    rms_norm_eps: Annotated[float, Field(ge=0, le=1)] = 1e-6
    tie_word_embeddings: bool = False

    @property
    def shape(self) -> Shape:
        heads, kv_heads = self.num_attention_heads, self.num_key_value_heads
        return shape_of(self.hidden_size, heads, kv_heads, self.head_dim)

    def architecture(self, **more: Any) -> Architecture:
        fields = {"block": "pre_norm", "norm": "rms", **more}
        if "rotary" not in more:
            fields["rotary"] = rotary_of(
                self.rotary_mapping(), self.shape.d_k, self.max_position_embeddings
            )
        return Architecture(
            self.shape, self.num_hidden_layers, positions="rotary",
            mlp_width=self.intermediate_size, activation=ACTIVATIONS[self.hidden_act],
            epsilon=self.rms_norm_eps, gated=True, **fields,
        )  # fmt: skip


@dataclass(frozen=True)
class LlamaVariant:
    """`gain`: added to stored norm gains."""

    family: str
    vectors: Mapping[str, str] = field(default_factory=lambda: VECTORS)
    gain: float = 0.0
    matrices: Mapping[str, str] = field(default_factory=lambda: MATRICES)

    def names(self, biases: frozenset[str]) -> TensorNames:
        return TensorNames(self.matrices, self.vectors, frozenset(name[2:] for name in biases))

    def about(
        self, keys: Keys, architecture: Architecture, sizes: Sizes,
        biases: frozenset[str] = frozenset(), **more: Any,
    ) -> ModelConfig:  # fmt: skip
        """`biases`: which keys of MATRICES have a bias."""
        start, names = _start(sizes), self.names(frozenset(f"b_{one}" for one in biases))
        width = keys.hidden_size
        wanted: dict[str, tuple[int, ...]] = {
            f"{start}embed_tokens.weight": (keys.vocab_size, width), f"{start}norm.weight": (width,)
        }  # fmt: skip
        if "norm_bias" in self.vectors:
            wanted[f"{start}norm.bias"] = (width,)
        extra = [] if "norm_bias" in self.vectors else sorted({f"{start}norm.bias"} & {*sizes})
        for i in range(keys.num_hidden_layers):
            at = f"{start}layers.{i}."
            wanted |= names.wanted(at, architecture)
            extra += names.unwanted(at, sizes)
        own = HEAD in sizes  # overrides tie_word_embeddings
        predicts = keys.tie_word_embeddings or own
        if own:
            wanted[HEAD] = (keys.vocab_size, width)
        check_sizes(wanted, sizes)
        check_no_extra(extra)
        return ModelConfig(
            family=self.family, architecture=replace(architecture, final_norm=predicts),
            context=keys.max_position_embeddings, vocabulary=keys.vocab_size, causal=True,
            predicts="next" if predicts else None, tied=not own,
            biases=frozenset(f"b_{one}" for one in biases), **more,
        )  # fmt: skip

    def convert(self, about: ModelConfig, tensors: Tensors) -> Weights:
        start, names, architecture = _start(tensors), self.names(about.biases), about.architecture
        embedding = tensors[f"{start}embed_tokens.weight"]
        unembedding = None
        if about.predicts:
            matrix = embedding if about.tied else tensors[HEAD]
            gain = tensors[f"{start}norm.weight"] + np.float32(self.gain)
            bias = tensors[f"{start}norm.bias"] if "norm_bias" in self.vectors else None
            unembedding = Unembedding(
                matrix.T, gain, bias, architecture.epsilon, architecture.norm, cap=about.logit_cap
            )
        layers = names.layers(f"{start}layers", tensors, architecture, self.gain)
        return Weights(layers, embedding, unembedding, embedding_scale=about.embedding_scale)


def _start(names: Mapping[str, Any]) -> str:
    """`transformer.` in models that answer questions."""
    starts = ("model.", "transformer.")
    return next((start for start in starts if f"{start}embed_tokens.weight" in names), "")
