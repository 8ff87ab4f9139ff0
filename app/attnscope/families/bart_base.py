"""Base of BART and Marian: post-norm layers, biases in all projections, perhaps a logits bias."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from attnscope.attention.architecture import Architecture, Parameters, Shape
from attnscope.attention.positions import Positions
from attnscope.attention.unembed import Unembedding
from attnscope.errors import BadWeightsFile
from attnscope.families.keys import ACTIVATIONS, Act, ConfigKeys, Count, check_sizes
from attnscope.families.layers import Layers, TensorNames, norm_vectors
from attnscope.families.model import ModelConfig, Sizes, Tensors
from attnscope.families.pairs import start_of, tables

SAYS_NOTHING = frozenset({
    "activation_dropout", "add_bias_logits", "attention_dropout", "classif_dropout",
    "classifier_dropout", "decoder_layerdrop", "dropout", "encoder_layerdrop",
    "force_bos_token_to_be_generated", "init_std",
})  # fmt: skip
LOGITS_BIAS = "final_logits_bias"
PROJECTIONS = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
OWN, CROSS = ({letter: f"{attention}.{name}" for letter, name in PROJECTIONS.items()}
              for attention in ("self_attn", "encoder_attn"))  # fmt: skip
MLP = {"in": "fc1", "out": "fc2"}
BIASED = frozenset((*OWN, *MLP))
BIASES = frozenset(f"b_{letter}" for letter in BIASED)
Blocks = Annotated[int, Field(ge=1, le=512)]
BEHIND_MLP = norm_vectors("mlp_norm", "final_layer_norm")
OWN_NORM = norm_vectors("norm", "self_attn_layer_norm")
CROSS_NORM = norm_vectors("norm", "encoder_attn_layer_norm")
ENCODER = TensorNames(OWN | MLP, OWN_NORM | BEHIND_MLP, BIASED)
DECODER = (TensorNames(OWN, OWN_NORM, BIASED - set(MLP)),
           TensorNames(CROSS | MLP, CROSS_NORM | BEHIND_MLP, BIASED))  # fmt: skip


class Keys(ConfigKeys):
    silent = SAYS_NOTHING
    also = (("hidden_size", "d_model"), ("num_attention_heads", "encoder_attention_heads"))

    vocab_size: Count = 50265
    d_model: Count = 1024
    max_position_embeddings: Count = 1024
    encoder_layers: Blocks = 12
    decoder_layers: Blocks = 12
    num_hidden_layers: Count | None = None  # alias of encoder_layers
    encoder_attention_heads: Count = 16
    decoder_attention_heads: Count = 16
    encoder_ffn_dim: Count = 4096
    decoder_ffn_dim: Count = 4096
    activation_function: Act = "gelu"
    scale_embedding: bool = False
    decoder_start_token_id: Annotated[int, Field(ge=0)] = 2
    tie_word_embeddings: bool = True
    is_encoder_decoder: Literal[True] = True
    is_decoder: Literal[False] = False
    normalize_before: Literal[False] = False
    add_final_layer_norm: Literal[False] = False

    def checked(self) -> Keys:
        for name in ("attention_heads", "ffn_dim"):
            encoder, decoder = (getattr(self, f"{half}_{name}") for half in ("encoder", "decoder"))
            if encoder != decoder:
                at = f"decoder_{name}"
                raise BadWeightsFile("unequal_halves", at=at, encoder=encoder, decoder=decoder)
        heads, width = self.encoder_attention_heads, self.d_model
        if width % heads:
            at = "encoder_attention_heads"
            raise BadWeightsFile("heads_not_divided", at=at, heads=heads, width=width)
        if self.num_hidden_layers not in (None, self.encoder_layers):
            raise self.refused("num_hidden_layers")
        if self.decoder_start_token_id >= self.vocab_size:
            raise self.refused("decoder_start_token_id")
        return self

    def architecture(self, positions: Positions) -> Architecture:
        """A decoder block counts as two layers: self-attention, then cross-attention."""
        heads, width = self.encoder_attention_heads, self.d_model
        d = width // heads
        return Architecture(
            Shape(heads, heads, width, d, d), self.encoder_layers + 2 * self.decoder_layers,
            "post_norm", positions, self.encoder_ffn_dim, ACTIVATIONS[self.activation_function],
            decoder=True, encoder_layers=self.encoder_layers,
        )  # fmt: skip


def about(family: str, keys: Keys, positions: Positions, sizes: Sizes, more: Sizes) -> ModelConfig:
    """`more`: shapes of the family's other tensors."""
    start, architecture = start_of(sizes), keys.architecture(positions)
    rows = (keys.vocab_size, keys.d_model)
    wanted = {**more, **dict.fromkeys(tables(sizes, keys.tie_word_embeddings), rows)}
    for i in range(architecture.num_layers):
        names, at = _place(architecture, start, i)
        wanted |= names.wanted(at, architecture)
    if LOGITS_BIAS in sizes:
        wanted[LOGITS_BIAS] = (1, keys.vocab_size)
    check_sizes(wanted, sizes)
    return ModelConfig(
        family=family, architecture=architecture, context=keys.max_position_embeddings,
        vocabulary=keys.vocab_size, causal=True, predicts="next",
        tied=keys.tie_word_embeddings, biases=BIASES, start=keys.decoder_start_token_id,
        embedding_scale=keys.d_model**0.5 if keys.scale_embedding else 1.0,
    )  # fmt: skip


def layers_of(about: ModelConfig, tensors: Tensors) -> Layers:
    start, architecture = start_of(tensors), about.architecture

    def layer(i: int) -> Parameters:
        names, at = _place(architecture, start, i)
        return names.read(at, tensors, architecture.shape)

    return Layers(architecture.num_layers, layer)


def _place(architecture: Architecture, start: str, layer: int) -> tuple[TensorNames, str]:
    if architecture.is_encoder_layer(layer):
        return ENCODER, f"{start}encoder.layers.{layer}."
    block, turn = divmod(layer - architecture.encoder_layers, 2)
    return DECODER[turn], f"{start}decoder.layers.{block}."


def unembedding_of(about: ModelConfig, tensors: Tensors) -> Unembedding:
    bias: np.ndarray | None = tensors[LOGITS_BIAS][0] if LOGITS_BIAS in tensors else None
    return Unembedding(tensors[tables(tensors, about.tied)[2]].T, bias=bias)
