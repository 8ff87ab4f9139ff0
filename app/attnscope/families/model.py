from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from attnscope.attention.architecture import Architecture, Parameters
from attnscope.attention.ops import Norm
from attnscope.attention.products import Dense
from attnscope.attention.unembed import Unembedding
from attnscope.families.keys import ConfigKeys
from attnscope.families.keys import Sizes as Sizes

Tensors = Mapping[str, np.ndarray]
Predicts = Literal["next", "masked"]  # the next token, or the masked one


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """Facts of a checkpoint, from config and tensor shapes."""

    family: str
    architecture: Architecture
    context: int
    vocabulary: int
    causal: bool
    predicts: Predicts | None
    language: str | None = None
    pairs: bool = False  # token types distinguish a second text
    tied: bool = False  # unembedding is the embedding; in T5: output is scaled
    biases: frozenset[str] = frozenset()  # native names, b_q to b_out
    embedding_scale: float = 1.0
    logit_cap: float | None = None
    start: int | None = None  # id of the decoder's first token
    padding: int | None = None  # id of padding, which has no position
    unread: tuple[str, ...] = ()  # ignored config keys
    accepted: tuple[str, ...] = ()  # ignored keys that could change numbers

    @property
    def notes(self) -> tuple[str, ...]:
        return ("accepted_keys",) if self.accepted else ()


@dataclass(frozen=True)
class EncoderEmbeddings:
    embedding: np.ndarray
    position: np.ndarray | None = None
    embedding_norm: Norm | None = None


@dataclass(frozen=True)
class Weights:
    """Arrays in float32; unembeddings of shipped models may be float64.

    The input is `embedding` · `embedding_scale` + `position` [context, width] + `token_type`
    [types, width], then `embedding_norm`, then `projection` to d_model. `source`: embeddings of an
    encoder, whose output `context_norm` normalises.
    """

    layers: Sequence[Parameters]
    embedding: np.ndarray
    unembedding: Unembedding | None
    position: np.ndarray | None = None
    embedding_norm: Norm | None = None
    embedding_scale: float = 1.0
    token_type: np.ndarray | None = None
    projection: Dense | None = None
    source: EncoderEmbeddings | None = None
    context_norm: Norm | None = None


class Family(Protocol):
    MODEL_TYPE: str

    @property
    def Keys(self) -> type[ConfigKeys]: ...  # noqa: N802

    def about(self, config: Mapping[str, Any], sizes: Sizes) -> ModelConfig:
        """Raises BadWeightsFile."""

    def convert(self, about: ModelConfig, tensors: Tensors) -> Weights:
        """Return matrices as [d_in, d_out], copied only if necessary."""
