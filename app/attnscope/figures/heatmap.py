from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, UInt8

from attnscope.figures.palette import Use, colors_of

FEW = 64  # keys; with more, colours follow square roots


@dataclass(frozen=True)
class Side:
    """Labels of rows or columns. `names`: None means indices. `step`: tokens per cell."""

    title: str
    names: Sequence[str] | None
    count: int
    step: int = 1


@dataclass(frozen=True)
class Heatmap:
    """One stage of one head.

    Attributes:
        title: stage, layer and head.
        about: sizes and formula.
        values: [rows, columns]. A cell of several tokens shows the number farthest from 0.
        closed: masked cells.
        kind: "sequential" (0 to 1) or "diverging".
    """

    title: str
    about: str
    values: Float[np.ndarray, "rows cols"]
    closed: Bool[np.ndarray, "rows cols"]
    kind: Use
    rows: Side
    cols: Side

    @property
    def ends(self) -> tuple[float, float]:
        """Numbers at both ends of the colour scale."""
        if self.kind == "sequential":
            return 0.0, 1.0
        there = self.values[~self.blank_cells]
        most = float(np.abs(there).max()) if there.size else 0.0
        return -most, most

    @property
    def uses_square_root(self) -> bool:
        """Among many keys, most weights are small."""
        return self.kind == "sequential" and self.cols.count > FEW

    @property
    def steps(self) -> UInt8[np.ndarray, "rows cols"]:
        """Colour indices, arbitrary in `shut` cells."""
        low, high = self.ends
        part = (np.where(self.blank_cells, 0.0, self.values) - low) / ((high - low) or 1.0)
        part = np.clip(part, 0, 1)
        steps: np.ndarray = np.rint(255 * (np.sqrt(part) if self.uses_square_root else part))
        return steps.astype(np.uint8)

    @property
    def blank_cells(self) -> Bool[np.ndarray, "rows cols"]:
        """Masked cells, and cells that are not finite."""
        shut: np.ndarray = self.closed | ~np.isfinite(self.values)
        return shut

    @property
    def pixels(self) -> UInt8[np.ndarray, "rows cols 4"]:
        """RGBA; `shut` cells are transparent."""
        colors = colors_of(self.kind)[self.steps]
        opaque = np.where(self.blank_cells, 0, 255).astype(np.uint8)
        return np.concatenate([colors, opaque[..., None]], axis=-1)
