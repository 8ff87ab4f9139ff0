"""Words to numbers: the embedding of each token, and the position that is added to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from app.errors import InvalidRequest
from app.trace.inputs import Words
from app.trace.models import Opened


@dataclass(frozen=True)
class Embedded:
    """[B, rows, d_model] each; rows of padding are zero. Given numbers have no position."""

    embedding: np.ndarray
    position: np.ndarray | None

    def x(self, dtype: DTypeLike) -> np.ndarray:
        """embedding + position."""
        with np.errstate(over="ignore"):  # counted in checks.non_finite
            both = self.embedding if self.position is None else self.embedding + self.position
            return both.astype(dtype)


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
    return Embedded(embedding, position)
