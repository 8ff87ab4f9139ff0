"""A level as numbers for the eye: one number a cell, or eight bits of it."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, UInt8

from attnscope.attention.level import Level

Reduce = Literal["mean", "max", "strongest"]
Spacing = Literal["even", "root", "log"]
STEPS = 254  # of eight bits; one more number is left for cells that are closed
CLOSED = 255
FINEST = 1e-6  # of the extent: what the logarithm tells apart from 0


class Extent(NamedTuple):
    """The smallest and the largest finite number of a whole stage of one head."""

    low: float
    high: float


class Picture(NamedTuple):
    """What squares of a stage come to, in its own type, and which of them have no open cell."""

    values: Float[np.ndarray, "rows cols"]
    closed: Bool[np.ndarray, "rows cols"]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.closed.nbytes

    @property
    def single(self) -> Float[np.ndarray, "rows cols"]:
        """The values as float32; what is finite stays so."""
        if self.values.dtype == np.float32:
            return self.values
        most = np.finfo(np.float32).max
        infinite = np.isinf(self.values)
        return np.where(infinite, self.values, self.values.clip(-most, most)).astype(np.float32)


def picture_of(level: Level, reduce: Reduce, closed: float, area: np.ndarray | None) -> Picture:
    """A number for each square: the mean, the largest, or the one that is farthest
    from 0 of its open cells. Where `area` says how many cells each square has, closed cells count
    in the mean, as zeros; a square without open cells is `closed`."""
    shut = level.cells == 0
    with np.errstate(invalid="ignore", over="ignore"):  # numbers that overflowed, told in checks
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
    """0 … 254 spread evenly over the extent, 255 for a closed square and for what is no number:
    half a step from the number at most. Spread by the root, low numbers have finer steps: most of
    a thousand weights that sum to 1 would all be 0 else; by the logarithm, most of a hundred
    thousand."""
    values, low, high = picture.values.astype(np.float64), extent.low, extent.high
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isinf(high - low):  # more than float64 has: half of everything
            values, low, high = values / 2, low / 2, high / 2
        part = np.clip((values - low) / ((high - low) or np.inf), 0, 1)
        if spacing == "root":
            part = np.sqrt(part)
        elif spacing == "log":
            part = np.log1p(part / FINEST) / np.log1p(1 / FINEST)
        steps = np.rint(STEPS * part)
    return np.where(picture.closed | np.isnan(steps), CLOSED, steps).astype(np.uint8)
