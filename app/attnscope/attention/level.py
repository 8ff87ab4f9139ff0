"""A zoom level of a map: each cell reduces side × side cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Integer


class Level(NamedTuple):
    """Statistics of the open cells of each square. Without open cells they are 0, −∞, ∞ and 0."""

    total: Float[np.ndarray, "rows cols"]
    most: Float[np.ndarray, "rows cols"]
    least: Float[np.ndarray, "rows cols"]
    cells: Integer[np.ndarray, "rows cols"]

    def coarser(self, rows: int, cols: int) -> Level:
        return Level(
            reduce_squares(np.add, self.total, rows, cols),
            reduce_squares(np.maximum, self.most, rows, cols),
            reduce_squares(np.minimum, self.least, rows, cols),
            reduce_squares(np.add, self.cells, rows, cols),
        )


def level_of(
    block: Float[np.ndarray, "rows cols"],
    open_cells: Bool[np.ndarray, "rows cols"],
    rows: int,
    cols: int,
) -> Level:
    finest = Level(
        np.where(open_cells, block, 0), np.where(open_cells, block, -np.inf),
        np.where(open_cells, block, np.inf), open_cells.astype(np.int32),
    )  # fmt: skip
    return finest.coarser(rows, cols)


def reduce_squares(reduce: np.ufunc, a: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """Reduce squares of rows × cols cells. Halving is faster than reduceat."""
    for axis, size in ((-2, rows), (-1, cols)):
        while size % 2 == 0:
            a, size = _halved(reduce, a, axis), size // 2
        if size > 1:
            a = reduce.reduceat(a, np.arange(0, a.shape[axis], size), axis=axis)
    return a


def _halved(reduce: np.ufunc, a: np.ndarray, axis: int) -> np.ndarray:
    first, second = (a[..., at::2, :] if axis == -2 else a[..., at::2] for at in (0, 1))
    if first.shape == second.shape:
        pairs: np.ndarray = reduce(first, second)
        return pairs
    found = first.copy()
    paired = found[..., :-1, :] if axis == -2 else found[..., :-1]
    reduce(paired, second, out=paired)
    return found
