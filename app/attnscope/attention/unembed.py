"""logits = LN(y) matrix + bias; masked language models transform y first (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from attnscope.attention import thread_pool
from attnscope.attention.architecture import EPSILON, Activation, NormKind
from attnscope.attention.dtypes import Grid, round_to_grid
from attnscope.attention.ops import ACTIVATIONS, NORMS, capped
from attnscope.attention.products import BLOCK_COLUMNS, Dense, project

PASS_COLUMNS = 8 * BLOCK_COLUMNS  # columns that fit in the cache


class Transform(NamedTuple):
    dense: Dense
    activation: Activation

    def of(self, y: np.ndarray, grid: Grid | None = None) -> np.ndarray:
        return ACTIVATIONS[self.activation](self.dense.of(y, grid), grid)


@dataclass(frozen=True)
class Unembedding:
    matrix: Float[np.ndarray, "width vocabulary"]
    norm_gain: Float[np.ndarray, " width"] | None = None
    norm_bias: Float[np.ndarray, " width"] | None = None
    epsilon: float = EPSILON
    norm: NormKind = "layer"
    bias: Float[np.ndarray, " vocabulary"] | None = None
    cap: float | None = None
    transform: Transform | None = None

    @property
    def vocabulary(self) -> int:
        vocabulary: int = self.matrix.shape[1]
        return vocabulary

    def astype(self, dtype: DTypeLike, grid: Grid | None = None) -> Unembedding:
        named = {name: getattr(self, name) for name in ("matrix", "norm_gain", "norm_bias", "bias")}
        fitted: dict[str, Any] = {
            name: round_to_grid(a.astype(dtype, copy=grid is not None), grid)
            for name, a in named.items() if a is not None
        }  # fmt: skip
        if self.transform is not None:
            dense = self.transform.dense.astype(dtype, grid)
            fitted["transform"] = self.transform._replace(dense=dense)
        return replace(self, **fitted)

    def normed(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row width"]:
        if self.transform is not None:
            y = self.transform.of(y, grid)
        if self.norm_gain is None:
            return y
        return NORMS[self.norm](y, self.norm_gain, self.norm_bias, grid, self.epsilon)

    def logits(
        self, y: Float[np.ndarray, "row d_model"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row vocabulary"]:
        return self._of_normed(self.normed(y, grid), slice(None), grid)

    def logits_apart(
        self, rows: Sequence[Float[np.ndarray, "1 d_model"]], grid: Grid | None = None
    ) -> list[Float[np.ndarray, "1 vocabulary"]]:
        """Bit-identical to `logits` of each, but reads the matrix once."""
        normed = [self.normed(y, grid) for y in rows]
        made = [np.empty((1, self.vocabulary), y.dtype) for y in normed]

        def pieces(start: int) -> None:
            some = slice(start, start + PASS_COLUMNS)
            for y, logits in zip(normed, made, strict=True):
                logits[:, some] = self._of_normed(y, some, grid)

        thread_pool.for_each(pieces, range(0, self.vocabulary, PASS_COLUMNS), spread=True)
        return made

    def _of_normed(self, y: np.ndarray, pieces: slice, grid: Grid | None) -> np.ndarray:
        bias = None if self.bias is None else self.bias[pieces]
        logits: np.ndarray = project(y[None], self.matrix[:, pieces], bias, grid)[0]
        return logits if self.cap is None else capped(logits, self.cap, grid)


def log_softmax(
    logits: Float[np.ndarray, "row vocabulary"],
) -> Float[np.ndarray, "row vocabulary"]:
    with np.errstate(over="ignore", invalid="ignore"):
        shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
        logs: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs
