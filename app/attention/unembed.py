"""From the last layer's output to the logits of every piece: the final norm and the unembedding.

logits = LN(y) unembedding + bias        log p = logits − log Σ exp(logits)

A checkpoint may cap its logits: cap · tanh(logits / cap).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from app.attention.architecture import EPSILON, NormKind
from app.attention.dtypes import Grid, fit
from app.attention.ops import NORMS, capped, project


@dataclass(frozen=True)
class Unembedding:
    """`matrix` times a normed row is a number for each piece; without a gain there is no norm."""

    matrix: Float[np.ndarray, "d_model vocabulary"]
    norm_gain: Float[np.ndarray, " d_model"] | None = None
    norm_bias: Float[np.ndarray, " d_model"] | None = None
    epsilon: float = EPSILON
    norm: NormKind = "layer"
    bias: Float[np.ndarray, " vocabulary"] | None = None
    cap: float | None = None

    @property
    def vocabulary(self) -> int:
        """How many pieces there are."""
        vocabulary: int = self.matrix.shape[1]
        return vocabulary

    def astype(self, dtype: DTypeLike, grid: Grid | None = None) -> Unembedding:
        """The same numbers in another type; on a grid, they are copies."""
        named = {name: getattr(self, name) for name in ("matrix", "norm_gain", "norm_bias", "bias")}
        fitted: dict[str, Any] = {
            name: fit(a.astype(dtype, copy=grid is not None), grid)
            for name, a in named.items() if a is not None
        }  # fmt: skip
        return replace(self, **fitted)

    def normed(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row d_model"]:
        """The rows through the final norm, where there is one."""
        if self.norm_gain is None:
            return y
        return NORMS[self.norm](y, self.norm_gain, self.norm_bias, grid, self.epsilon)

    def logits(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row vocabulary"]:
        """Of some rows of the last block output."""
        logits: np.ndarray = project(self.normed(y, grid)[None], self.matrix, self.bias, grid)[0]
        return logits if self.cap is None else capped(logits, self.cap, grid)


def log_softmax(
    logits: Float[np.ndarray, "row vocabulary"],
) -> Float[np.ndarray, "row vocabulary"]:
    """log p of each piece in float64, the largest logit taken off first."""
    with np.errstate(over="ignore", invalid="ignore"):  # not finite where the trace is not
        shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
        logs: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs
