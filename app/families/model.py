"""What a family makes of a checkpoint: what the model is, and its numbers in our names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from app.attention.architecture import EPSILON, Activation, Architecture, Block
from app.attention.dense import Dense
from app.attention.ops import Norm
from app.attention.parameters import Parameters, Shape
from app.attention.positions import Positions
from app.attention.unembed import Unembedding

Tensors = Mapping[str, np.ndarray]
Sizes = Mapping[str, tuple[int, ...]]
Predicts = Literal["next", "masked"]  # the piece after a place, or the one that is masked there


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known of a model before its numbers are read."""

    family: str
    context: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    d_model: int
    d_k: int
    d_v: int
    vocabulary: int
    block: Block
    positions: Positions
    causal: bool
    predicts: Predicts | None
    language: str | None = None
    mlp_width: int = 0
    activation: Activation = "gelu_tanh"
    epsilon: float = EPSILON
    specials: bool = False  # whether the tokenizer sets pieces of its own around a text
    pairs: bool = False  # whether a text may have a second one behind it

    def architecture(self) -> Architecture:
        shape = Shape(self.num_heads, self.num_kv_heads, self.d_model, self.d_k, self.d_v)
        return Architecture(
            shape, self.num_layers, self.block, self.positions, self.mlp_width, self.activation,
            final_norm=self.predicts == "next", epsilon=self.epsilon,
        )  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """The numbers of a model in float32; `position` [context, width] is added to the embedding of
    each token, and of `token_type` [kinds, width] the row of its sentence; `embedding_norm` is the
    norm of the sum, and `projection` makes d_model of a width that is another."""

    layers: tuple[Parameters, ...]
    embedding: np.ndarray
    unembedding: Unembedding | None
    position: np.ndarray | None = None
    embedding_norm: Norm | None = None
    token_type: np.ndarray | None = None
    projection: Dense | None = None

    @property
    def bytes(self) -> int:
        arrays = [a for p in self.layers for a in p.arrays().values()]
        head = 0 if self.unembedding is None else self.unembedding.matrix.nbytes
        return sum(a.nbytes for a in arrays) + self.embedding.nbytes + head


class Family(Protocol):
    """One kind of checkpoint."""

    MODEL_TYPE: str

    def about(self, config: Mapping[str, Any], sizes: Sizes) -> About:
        """Raises BadWeightsFile for what is not known here, and where config and tensors differ."""

    def convert(self, about: About, tensors: Tensors) -> Weights:
        """The tensors by our names; no number is copied that need not be."""
