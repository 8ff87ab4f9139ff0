from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import DTypeLike

from attnscope.attention.dtypes import Grid, round_to_grid
from attnscope.attention.products import project


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
