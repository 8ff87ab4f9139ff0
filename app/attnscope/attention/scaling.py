"""Turn scores into scaled scores. Position terms depend on j − i alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Integer
from numpy.lib.stride_tricks import sliding_window_view

from attnscope.attention.dtypes import Grid, round_to_grid
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.ops import capped
from attnscope.attention.positions import Relative, alibi_slopes, buckets


@dataclass(frozen=True)
class Scaling:
    """`slopes`: ALiBi slopes by head. `table`: relative biases by bucket."""

    factor: float
    slopes: list[float] | None
    table: Float[np.ndarray, "bucket head"] | None
    relative: Relative
    cap: float | None
    grid: Grid | None

    @classmethod
    def of(cls, setting: LayerContext, table: Float[np.ndarray, "bucket head"] | None) -> Scaling:
        model, options = setting.architecture, setting.options
        factor = options.scale / options.temperature
        return cls(factor, slopes_of(setting), table, model.relative, model.score_cap, options.grid)

    @property
    def has_positions(self) -> bool:
        return self.slopes is not None or self.table is not None

    @property
    def adds(self) -> bool:
        return self.has_positions or self.cap is not None

    def scale_heads(
        self,
        scores: Float[np.ndarray, "head rows cols"],
        heads: slice,
        row: int,
        out: Float[np.ndarray, "head rows cols"],
    ) -> None:
        """`row`: position of the first query."""
        round_to_grid(np.multiply(scores, self.factor, out=out), self.grid)
        if self.adds:
            for head, scaled in enumerate(out, heads.start):
                self.positioned(scaled, head, row, 0)

    def scale_cells(
        self, scores: Float[np.ndarray, "*cells"], head: int, ahead: Integer[np.ndarray, "*cells"]
    ) -> Float[np.ndarray, "*cells"]:
        scaled = round_to_grid(scores * self.factor, self.grid)
        added = self._added(ahead.ravel(), head, scaled.dtype)
        if added is not None:
            scaled = round_to_grid(scaled + added.reshape(ahead.shape), self.grid)
        return scaled if self.cap is None else capped(scaled, self.cap, self.grid)

    def positioned(
        self, scaled: Float[np.ndarray, "rows cols"], head: int, row: int, col: int
    ) -> Float[np.ndarray, "rows cols"]:
        """Add position terms, then cap, in place. `row`, `col`: first query and key."""
        rows, cols = scaled.shape
        added = self._added(np.arange(col - row - rows + 1, col - row + cols), head, scaled.dtype)
        if added is not None:
            windows = sliding_window_view(added, cols)[::-1]
            round_to_grid(np.add(scaled, windows, out=scaled), self.grid)
        if self.cap is not None:
            np.copyto(scaled, capped(scaled, self.cap, self.grid))
        return scaled

    def _added(self, ahead: np.ndarray, head: int, dtype: np.dtype) -> np.ndarray | None:
        if self.slopes is not None:
            return -round_to_grid((self.slopes[head] * np.abs(ahead)).astype(dtype), self.grid)
        if self.table is None:
            return None
        added: np.ndarray = self.table[buckets(np.zeros(1, int), ahead, self.relative)[0], head]
        return added


def slopes_of(setting: LayerContext) -> list[float] | None:
    model = setting.architecture
    if model.positions != "alibi":
        return None
    slopes: list[float] = (model.alibi_factor * alibi_slopes(model.shape.num_heads)).tolist()
    return slopes
