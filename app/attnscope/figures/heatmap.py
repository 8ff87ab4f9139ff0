from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from cmap import Colormap
from jaxtyping import Bool, Float, UInt8

Use = Literal["diverging", "sequential"]
LIGHT: dict[str, str] = {"diverging": "colorbrewer:RdBu", "sequential": "colorbrewer:YlGnBu"}
BRIGHT = 0.179  # luminance above which text is black


@cache
def colors_of(use: Use) -> UInt8[np.ndarray, "256 3"]:
    rounded: np.ndarray = np.rint(255 * Colormap(LIGHT[use]).lut(256)[:, :3])
    return rounded.astype(np.uint8)


@cache
def is_bright(use: Use) -> Bool[np.ndarray, " 256"]:
    """Whether a colour needs black text (WCAG)."""
    part: Float[np.ndarray, "256 3"] = colors_of(use) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    bright: np.ndarray = linear @ np.array([0.2126, 0.7152, 0.0722]) > BRIGHT
    return bright


MOST_LINEAR_KEYS = 64  # keys; with more, colours follow square roots


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
        """Most weights over many keys are small; roots spread their colours."""
        return self.kind == "sequential" and self.cols.count > MOST_LINEAR_KEYS

    @property
    def steps(self) -> UInt8[np.ndarray, "rows cols"]:
        """Colour indices, arbitrary in blank cells."""
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
        """RGBA; blank cells are transparent."""
        colors = colors_of(self.kind)[self.steps]
        opaque = np.where(self.blank_cells, 0, 255).astype(np.uint8)
        return np.concatenate([colors, opaque[..., None]], axis=-1)
