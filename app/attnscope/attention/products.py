"""Products in blocks of fixed sizes, so that any number of cores gives the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from attnscope.attention import memory, thread_pool
from attnscope.attention.dtypes import Grid, round_to_grid

BLOCK_ROWS = 512
BLOCK_COLUMNS = 384
SPREAD = 1 << 22  # multiplications; fewer are faster on one core

Matrix = Float[np.ndarray, "_ _"]
Bias = Float[np.ndarray, " _"] | None
BlockIndex = tuple[slice, slice]


def multiply(
    x: Float[np.ndarray, "row d_in"],
    w: Float[np.ndarray, "d_in d_out"],
    b: Float[np.ndarray, " d_out"] | None,
    here: BlockIndex,
    out: Float[np.ndarray, "row d_out"],
    grid: Grid | None,
) -> None:
    rows, columns = here
    round_to_grid(np.matmul(x[rows], w[:, columns], out=out[here]), grid)
    if b is not None:
        round_to_grid(np.add(out[here], b[columns], out=out[here]), grid)


def over_blocks(
    work: Callable[[int, BlockIndex], None], rows: int, matrices: Sequence[Matrix]
) -> None:
    blocks = [
        (i, (slice(row, row + BLOCK_ROWS), slice(column, column + BLOCK_COLUMNS)))
        for i, w in enumerate(matrices)
        for column, row in product(range(0, w.shape[1], BLOCK_COLUMNS), range(0, rows, BLOCK_ROWS))
    ]
    products = rows * sum(w.size for w in matrices)
    thread_pool.for_each(lambda block: work(*block), blocks, spread=products >= SPREAD)


def project_each(
    x: Float[np.ndarray, "batch row d_in"],
    projections: Sequence[tuple[Matrix, Bias]],
    grid: Grid | None = None,
) -> list[Float[np.ndarray, "batch row _"]]:
    rows = x.reshape(-1, x.shape[-1])
    outputs = [memory.empty((len(rows), w.shape[1]), x.dtype) for w, _ in projections]

    def block(i: int, here: BlockIndex) -> None:
        multiply(rows, *projections[i], here, outputs[i], grid)

    over_blocks(block, len(rows), [w for w, _ in projections])
    return [y.reshape(*x.shape[:-1], y.shape[1]) for y in outputs]


def project(
    x: Float[np.ndarray, "batch row d_in"],
    w: Float[np.ndarray, "d_in d_out"],
    b: Float[np.ndarray, " d_out"] | None,
    grid: Grid | None = None,
) -> Float[np.ndarray, "batch row d_out"]:
    (y,) = project_each(x, [(w, b)], grid)
    return y


class Dense(NamedTuple):
    matrix: Float[np.ndarray, "d_in d_out"]
    bias: Float[np.ndarray, " d_out"]

    def astype(self, dtype: DTypeLike, grid: Grid | None = None) -> Dense:
        return Dense(*(round_to_grid(a.astype(dtype, copy=grid is not None), grid) for a in self))

    def of(
        self, x: Float[np.ndarray, "row d_in"], grid: Grid | None = None
    ) -> Float[np.ndarray, "row d_out"]:
        y: np.ndarray = project(x[None], self.matrix, self.bias, grid)[0]
        return y
