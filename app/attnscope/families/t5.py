"""T5 (Raffel et al. 2020).

Version 1.1 has gated MLPs, and does not scale the last hidden state by 1/√d_model: see config key
scale_decoder_outputs, in older files tie_word_embeddings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from attnscope.attention.architecture import Activation, Architecture, Parameters, Shape
from attnscope.attention.ops import Norm
from attnscope.attention.positions import Relative
from attnscope.attention.unembed import Unembedding
from attnscope.families.keys import ConfigKeys, Count, check_sizes, read_keys
from attnscope.families.layers import Layers, TensorNames
from attnscope.families.model import EncoderEmbeddings, ModelConfig, Sizes, Tensors, Weights
from attnscope.families.pairs import start_of, tables

MODEL_TYPE = "t5"
Blocks = Annotated[int, Field(ge=1, le=512)]
Projection = Literal["relu", "gelu", "silu", "gated-relu", "gated-gelu", "gated-silu"]
# Gated gelu is the tanh approximation, ungated gelu is exact.
ACTIVATIONS: dict[Projection, tuple[Activation, str]] = {
    "relu": ("relu", "relu"), "gelu": ("gelu", "gelu"), "silu": ("silu", "silu"),
    "gated-relu": ("relu", "relu"), "gated-gelu": ("gelu_tanh", "gelu_new"),
    "gated-silu": ("silu", "silu"),
}  # fmt: skip


class Keys(ConfigKeys):
    silent = frozenset({"classifier_dropout", "dropout_rate", "initializer_factor"})
    also = (
        ("hidden_size", "d_model"),
        ("num_attention_heads", "num_heads"),
        ("num_hidden_layers", "num_layers"),
        ("head_dim", "d_kv"),
    )

    vocab_size: Count = 32128
    d_model: Count = 512
    d_kv: Count = 64
    d_ff: Count = 2048
    num_layers: Blocks = 6
    num_decoder_layers: Blocks | None = None
    num_heads: Count = 8
    n_positions: Count = 512
    relative_attention_num_buckets: Annotated[int, Field(ge=4, multiple_of=4)] = 32
    relative_attention_max_distance: Count = 128
    layer_norm_epsilon: Annotated[float, Field(ge=0, le=1)] = 1e-6
    feed_forward_proj: Projection = "relu"
    dense_act_fn: str | None = None
    is_gated_act: bool | None = None
    decoder_start_token_id: Annotated[int, Field(ge=0)] = 0
    tie_word_embeddings: bool | None = None
    scale_decoder_outputs: bool | None = None
    is_encoder_decoder: bool = True
    is_decoder: Literal[False] = False

    def checked(self, *, whole: bool) -> Keys:
        furthest = self.relative_attention_max_distance
        checks = {
            "relative_attention_max_distance": furthest > self.relative_attention_num_buckets // 2,
            "dense_act_fn": self.dense_act_fn in (None, ACTIVATIONS[self.feed_forward_proj][1]),
            "is_gated_act": self.is_gated_act in (None, self.gated),
            "decoder_start_token_id": self.decoder_start_token_id < self.vocab_size,
            "is_encoder_decoder": self.is_encoder_decoder or not whole,
        }
        for name, fits in checks.items():
            if not fits:
                raise self.refused(name)
        return self

    @property
    def scaled(self) -> bool:
        if self.scale_decoder_outputs is None:
            return self.tie_word_embeddings is not False
        return self.scale_decoder_outputs

    @property
    def gated(self) -> bool:
        return self.feed_forward_proj.startswith("gated-")

    def architecture(self, *, whole: bool) -> Architecture:
        blocks = (self.num_decoder_layers or self.num_layers) if whole else 0
        relative = Relative(
            self.relative_attention_num_buckets, self.relative_attention_max_distance,
            both_ways=not whole,
        )  # fmt: skip
        return Architecture(
            Shape(self.num_heads, self.num_heads, self.d_model, self.d_kv, self.d_kv),
            self.num_layers + 2 * blocks, "pre_norm", "relative", self.d_ff,
            ACTIVATIONS[self.feed_forward_proj][0], final_norm=whole, decoder=whole,
            encoder_layers=self.num_layers if whole else 0, epsilon=self.layer_norm_epsilon,
            norm="rms", gated=self.gated, scale=1.0, relative=relative,
        )  # fmt: skip


def about(config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
    start = start_of(sizes)
    whole = any(name.startswith(f"{start}decoder.") for name in sizes)
    keys = read_keys(config, Keys).checked(whole=whole)
    architecture, rows = keys.architecture(whole=whole), (keys.vocab_size, keys.d_model)
    wanted: dict[str, tuple[int, ...]] = dict.fromkeys(tables(sizes, tied=True), rows)
    for half in ("encoder", "decoder") if whole else ("encoder",):
        wanted[f"{start}{_table(half)}"] = (architecture.relative.buckets, keys.num_heads)
        wanted[f"{start}{half}.final_layer_norm.weight"] = (keys.d_model,)
    for i in range(architecture.num_layers):
        names, at, _ = _place(architecture, i)
        wanted |= names.wanted(f"{start}{at}", architecture)
    check_sizes(wanted, sizes)
    return ModelConfig(
        family=MODEL_TYPE, architecture=architecture, context=keys.n_positions,
        vocabulary=keys.vocab_size, causal=whole, predicts="next" if whole else None,
        tied=keys.scaled,
        start=keys.decoder_start_token_id if whole else None,
    )  # fmt: skip


def convert(about: ModelConfig, tensors: Tensors) -> Weights:
    """If the last hidden state is scaled, the final norm's gain includes 1/√d_model."""
    architecture, start = about.architecture, start_of(tensors)
    source, text, head = (tensors[name] for name in tables(tensors, tied=True))
    layers = Layers(architecture.num_layers, lambda i: _layer(architecture, tensors, i))
    if not architecture.decoder:
        return Weights(layers, source, None)
    before, behind = (
        tensors[f"{start}{half}.final_layer_norm.weight"] for half in ("encoder", "decoder")
    )
    factor = np.float32(architecture.shape.d_model**-0.5 if about.tied else 1.0)
    unembedding = Unembedding(head.T, behind * factor, None, architecture.epsilon, "rms")
    return Weights(
        layers, text, unembedding,
        source=EncoderEmbeddings(source), context_norm=Norm(before, None, architecture.epsilon),
    )  # fmt: skip


def _layer(architecture: Architecture, tensors: Tensors, layer: int) -> Parameters:
    start, (names, at, half) = start_of(tensors), _place(architecture, layer)
    read = names.read(f"{start}{at}", tensors, architecture.shape)
    crosses = architecture.decoder and architecture.is_cross_attention(layer)
    return read if crosses else replace(read, relative_bias=tensors[f"{start}{_table(half)}"])


def _table(half: str) -> str:
    return f"{half}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


def _place(architecture: Architecture, layer: int) -> tuple[TensorNames, str, str]:
    if architecture.is_encoder_layer(layer) or not architecture.decoder:
        names = _names(architecture, 0, "SelfAttention", 1)
        return names, f"encoder.block.{layer}.layer.", "encoder"
    block, turn = divmod(layer - architecture.encoder_layers, 2)
    attention, mlp = (("SelfAttention", None), ("EncDecAttention", 2))[turn]
    return _names(architecture, turn, attention, mlp), f"decoder.block.{block}.layer.", "decoder"


def _names(architecture: Architecture, place: int, attention: str, mlp: int | None) -> TensorNames:
    matrices = {letter: f"{place}.{attention}.{letter}" for letter in "qkvo"}
    vectors = {"norm_gain": f"{place}.layer_norm.weight"}
    if mlp is None:
        return TensorNames(matrices, vectors)
    first = {"gate": "wi_0", "in": "wi_1"} if architecture.gated else {"in": "wi"}
    for letter, name in (first | {"out": "wo"}).items():
        matrices[letter] = f"{mlp}.DenseReluDense.{name}"
    return TensorNames(matrices, vectors | {"mlp_norm_gain": f"{mlp}.layer_norm.weight"})
