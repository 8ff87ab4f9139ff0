"""From the last layer's output to the logits of every piece: the final norm and the unembedding.

logits = LN(y) unembedding        log p = logits − log Σ exp(logits)

A head for masked pieces has a layer of its own before its norm, and a bias for each piece:
logits = LN(φ(y w + b)) unembedding + bias (Devlin et al. 2019, "BERT").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from app.attention.architecture import EPSILON, Activation
from app.attention.dense import Dense
from app.attention.dtypes import Grid, fit
from app.attention.ops import ACTIVATIONS, layer_norm, project


class Transform(NamedTuple):
    """φ(y w + b), before the norm."""

    dense: Dense
    activation: Activation

    def of(self, y: np.ndarray, grid: Grid | None = None) -> np.ndarray:
        """Of some rows."""
        return ACTIVATIONS[self.activation](self.dense.of(y, grid), grid)


@dataclass(frozen=True)
class Unembedding:
    """`matrix` times a normed row is a number for each piece; without a gain there is no norm."""

    matrix: Float[np.ndarray, "width vocabulary"]
    norm_gain: Float[np.ndarray, " width"] | None = None
    norm_bias: Float[np.ndarray, " width"] | None = None
    epsilon: float = EPSILON
    transform: Transform | None = None
    bias: Float[np.ndarray, " vocabulary"] | None = None

    @property
    def vocabulary(self) -> int:
        """How many pieces there are."""
        vocabulary: int = self.matrix.shape[1]
        return vocabulary

    def astype(self, dtype: DTypeLike, grid: Grid | None = None) -> Unembedding:
        """The same numbers in another type; on a grid, they are copies."""
        arrays = (self.matrix, self.norm_gain, self.norm_bias, self.bias)
        matrix, gain, shift, bias = (
            None if a is None else fit(a.astype(dtype, copy=grid is not None), grid) for a in arrays
        )
        assert matrix is not None
        transform = self.transform
        if transform is not None:
            transform = Transform(transform.dense.astype(dtype, grid), transform.activation)
        return Unembedding(matrix, gain, shift, self.epsilon, transform, bias)

    def logits(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row vocabulary"]:
        """Of some rows of the last block output."""
        if self.transform is not None:
            y = self.transform.of(y, grid)
        if self.norm_gain is not None:
            y = layer_norm(y, self.norm_gain, self.norm_bias, grid, self.epsilon)
        logits: np.ndarray = project(y[None], self.matrix, self.bias, grid)[0]
        return logits


def log_softmax(
    logits: Float[np.ndarray, "row vocabulary"],
) -> Float[np.ndarray, "row vocabulary"]:
    """log p of each piece in float64, the largest logit taken off first."""
    with np.errstate(over="ignore", invalid="ignore"):  # not finite where the trace is not
        shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
        logs: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs
