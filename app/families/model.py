"""What a family makes of a checkpoint: what the model is, and its numbers in our names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from app.attention.architecture import Architecture
from app.attention.dense import Dense
from app.attention.ops import Norm
from app.attention.parameters import Parameters
from app.attention.unembed import Unembedding
from app.families.keys import ConfigKeys
from app.families.keys import Sizes as Sizes

Tensors = Mapping[str, np.ndarray]
Predicts = Literal["next", "masked"]  # the piece after a place, or the one that is masked there


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known of a model before its numbers are read."""

    family: str
    architecture: Architecture
    context: int
    vocabulary: int
    causal: bool
    predicts: Predicts | None
    language: str | None = None
    pairs: bool = False  # whether a text may have a second one behind it
    tied: bool = False  # whether the unembedding is the embedding
    biases: frozenset[str] = frozenset()  # b_q … b_out: those that every layer has
    embedding_scale: float = 1.0  # what an embedding is multiplied by
    logit_cap: float | None = None
    start: int | None = None  # the piece that a decoder's text begins with
    unread: tuple[str, ...] = ()  # keys of the config that the family does not read
    accepted: tuple[str, ...] = ()  # unread keys that could change numbers: ignored on request

    @property
    def notes(self) -> tuple[str, ...]:
        """Codes of differences from the model's own forward pass."""
        return ("accepted_keys",) if self.accepted else ()


@dataclass(frozen=True)
class Source:
    """How the words of an encoder become its x, where a decoder's become so with other numbers."""

    embedding: np.ndarray
    position: np.ndarray | None = None
    embedding_norm: Norm | None = None


@dataclass(frozen=True)
class Weights:
    """The numbers of a model in float32; `position` [context, width] is added to the embedding of
    each token times `embedding_scale`, and of `token_type` [kinds, width] the row of its sentence;
    `embedding_norm` is the norm of the sum, and `projection` makes d_model of a width that is
    another. Where there is an encoder below a decoder, `source` is the same of its words, and
    `context_norm` lies behind its last layer."""

    layers: Sequence[Parameters]
    embedding: np.ndarray
    unembedding: Unembedding | None
    position: np.ndarray | None = None
    embedding_norm: Norm | None = None
    embedding_scale: float = 1.0
    token_type: np.ndarray | None = None
    projection: Dense | None = None
    source: Source | None = None
    context_norm: Norm | None = None


class Family(Protocol):
    """One kind of checkpoint."""

    MODEL_TYPE: str

    @property
    def Keys(self) -> type[ConfigKeys]: ...  # noqa: N802

    def about(self, config: Mapping[str, Any], sizes: Sizes) -> About:
        """Raises BadWeightsFile for what is not known here, and where config and tensors differ."""

    def convert(self, about: About, tensors: Tensors) -> Weights:
        """The tensors by our names; no number is copied that need not be."""
