"""Words to numbers: the embedding of each token, and the position that is added to it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike

from app.attention.ops import Norm, layer_norm
from app.errors import InvalidRequest
from app.trace.inputs import Words
from app.trace.models import Opened


@dataclass(frozen=True)
class Embedded:
    """[B, rows, d_model] each; rows of padding are zero. Given numbers have no position, and are
    not multiplied by the `scale` of a model."""

    embedding: np.ndarray
    position: np.ndarray | None
    lengths: list[int] = field(default_factory=list)
    norm: Norm | None = None
    scale: float = 1.0

    @property
    def sum(self) -> np.ndarray:
        """embedding × scale + position."""
        scaled = self.embedding if self.scale == 1 else self.embedding * self.scale
        return scaled if self.position is None else scaled + self.position

    def x(self, dtype: DTypeLike) -> np.ndarray:
        """That sum, normed where the model has a norm for it."""
        with np.errstate(over="ignore"):  # counted in checks.non_finite
            if self.norm is None:
                return self.sum.astype(dtype)
            gain, bias, epsilon = self.norm
            rows = np.zeros_like(self.embedding)
            for b, length in enumerate(self.lengths):
                rows[b, :length] = layer_norm(self.sum[b, :length], gain, bias, epsilon=epsilon)
            return rows.astype(dtype)


def next_row(piece: str, place: int, model: Opened) -> np.ndarray:
    """[1, d_model]: x of one piece at a place of the text."""
    rows = model.position(place + 1)
    position = None if rows is None else rows[-1:][None]
    embedding = np.asarray(model.embed([piece]), np.float64)[None]
    norm, scale = model.embedding_norm, model.embedding_scale
    x: np.ndarray = Embedded(embedding, position, [1], norm, scale).x(np.float64)[0]
    return x


def embed(words: Words, given: np.ndarray | None, model: Opened) -> Embedded:
    """Raises InvalidRequest for a token that the model has no embedding for."""
    embedding = np.zeros((len(words.lengths), words.n, model.shape.d_model))
    if given is not None:
        embedding[:, : words.lengths[0]] = given
        return Embedded(embedding, None)
    rows = model.position(words.n)
    position = None if rows is None else np.zeros_like(embedding)
    for b, length in enumerate(words.lengths):
        tokens = [token for token in (words.tokens or [])[b] if token is not None]
        try:
            embedding[b, :length] = model.embed(tokens)
        except InvalidRequest as error:
            error.at = words.at
            raise
        if position is not None and rows is not None:
            position[b, :length] = rows[:length]
    norm, scale = model.embedding_norm, model.embedding_scale
    return Embedded(embedding, position, words.lengths, norm, scale)
