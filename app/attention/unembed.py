"""From the last layer's output to the logits of every piece: the final norm and the unembedding.

logits = LN(y) unembedding        log p = logits − log Σ exp(logits)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from app.attention.architecture import EPSILON
from app.attention.dtypes import Grid, fit
from app.attention.ops import layer_norm, project


@dataclass(frozen=True)
class Unembedding:
    """`matrix` times a normed row is a number for each piece; without a gain there is no norm."""

    matrix: Float[np.ndarray, "d_model vocabulary"]
    norm_gain: Float[np.ndarray, " d_model"] | None = None
    norm_bias: Float[np.ndarray, " d_model"] | None = None
    epsilon: float = EPSILON

    @property
    def vocabulary(self) -> int:
        """How many pieces there are."""
        vocabulary: int = self.matrix.shape[1]
        return vocabulary

    def astype(self, dtype: DTypeLike, grid: Grid | None = None) -> Unembedding:
        """The same numbers in another type; on a grid, they are copies."""
        arrays = (self.matrix, self.norm_gain, self.norm_bias)
        fitted = [a if a is None else fit(a.astype(dtype, copy=grid is not None), grid)
                  for a in arrays]  # fmt: skip
        assert fitted[0] is not None
        return Unembedding(fitted[0], fitted[1], fitted[2], self.epsilon)

    def logits(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row vocabulary"]:
        """Of some rows of the last block output."""
        if self.norm_gain is not None:
            y = layer_norm(y, self.norm_gain, self.norm_bias, grid, self.epsilon)
        logits: np.ndarray = project(y[None], self.matrix, None, grid)[0]
        return logits


def log_softmax(
    logits: Float[np.ndarray, "row vocabulary"],
) -> Float[np.ndarray, "row vocabulary"]:
    """log p of each piece in float64, the largest logit taken off first."""
    with np.errstate(over="ignore", invalid="ignore"):  # not finite where the trace is not
        shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
        logs: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs
