from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, UInt8

from attnscope.attention.level import Level

Reduce = Literal["mean", "max", "strongest"]
Spacing = Literal["even", "root", "log"]
STEPS = 254  # 255 is for closed cells
CLOSED = 255
FINEST = 1e-6  # of the extent; smaller numbers are shown as 0


class Extent(NamedTuple):
    """Finite range of a stage of one head."""

    low: float
    high: float


class Picture(NamedTuple):
    values: Float[np.ndarray, "rows cols"]
    closed: Bool[np.ndarray, "rows cols"]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.closed.nbytes

    @property
    def single(self) -> Float[np.ndarray, "rows cols"]:
        """Keep finite values finite."""
        if self.values.dtype == np.float32:
            return self.values
        most = np.finfo(np.float32).max
        infinite = np.isinf(self.values)
        return np.where(infinite, self.values, self.values.clip(-most, most)).astype(np.float32)


def picture_of(level: Level, reduce: Reduce, closed: float, area: np.ndarray | None) -> Picture:
    """`area`: cells per square; closed ones count as 0 in the mean. `closed`: value without open
    cells."""
    shut = level.cells == 0
    with np.errstate(invalid="ignore", over="ignore"):
        if reduce == "max":
            values = level.most
        elif reduce == "strongest":
            values = np.where(-level.least > level.most, level.least, level.most)
        else:
            values = level.total / np.maximum(level.cells if area is None else area, 1)
        return Picture(np.where(shut, closed, values).astype(level.most.dtype), shut)


def eight_bits(
    picture: Picture, extent: Extent, spacing: Spacing = "even"
) -> UInt8[np.ndarray, "rows cols"]:
    """Scale to 0 … 254, or 255 if closed or NaN. Root and logarithm resolve small weights."""
    values, low, high = picture.values.astype(np.float64), extent.low, extent.high
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isinf(high - low):  # the range overflows
            values, low, high = values / 2, low / 2, high / 2
        part = np.clip((values - low) / ((high - low) or np.inf), 0, 1)
        if spacing == "root":
            part = np.sqrt(part)
        elif spacing == "log":
            part = np.log1p(part / FINEST) / np.log1p(1 / FINEST)
        steps = np.rint(STEPS * part)
    return np.where(picture.closed | np.isnan(steps), CLOSED, steps).astype(np.uint8)
