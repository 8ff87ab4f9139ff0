"""Rotary positions (Su et al. 2021, "RoFormer", section 3.4.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float, Integer

from attnscope.attention.dtypes import Grid, round_to_grid

Pairs = Literal["neighbours", "halves"]
BASE = 10000.0


@dataclass(frozen=True)
class Rotary:
    """`pairs`: columns that rotate together, 2c and 2c + 1, or c and c + r/2. `columns`: r, how
    many rotate (None: all). `frequencies`: radians per position; `long` beyond `original` tokens.
    `magnitude`: factor on cos and sin."""

    pairs: Pairs = "neighbours"
    columns: int | None = None
    frequencies: tuple[float, ...] | None = None
    magnitude: float = 1.0
    original: int | None = None
    long: tuple[float, ...] | None = None

    def of_text(self, rows: int) -> Rotary:
        if self.long is None or self.original is None:
            return self
        frequencies = self.long if rows > self.original else self.frequencies
        return replace(self, frequencies=frequencies, long=None, original=None)

    def turned(self, d_k: int) -> int:
        return self.columns or d_k

    def speeds(self, d_k: int, rows: int) -> Float[np.ndarray, " pairs"]:
        """Radians per position."""
        frequencies = self.of_text(rows).frequencies
        if frequencies is not None:
            return np.array(frequencies)
        r = self.turned(d_k)
        return BASE ** (-2 * np.arange(r // 2) / r)

    def angles(
        self, places: Integer[np.ndarray, "*batch rows"], d_k: int
    ) -> Float[np.ndarray, "*batch rows pairs"]:
        angles: np.ndarray = places[..., None] * self.speeds(d_k, int(places.max(initial=-1)) + 1)
        return angles

    def ends(self, d_k: int) -> tuple[slice, slice]:
        r = self.turned(d_k)
        if self.pairs == "neighbours":
            return slice(0, r, 2), slice(1, r, 2)
        return slice(0, r // 2), slice(r // 2, r)

    def pair_of(self, column: int, d_k: int) -> int | None:
        r = self.turned(d_k)
        if column >= r:
            return None
        return column // 2 if self.pairs == "neighbours" else column % (r // 2)


PAPER = Rotary()


def rotate(
    a: Float[np.ndarray, "batch head row d_k"],
    rotary: Rotary = PAPER,
    direction: int = 1,
    places: Integer[np.ndarray, "*batch row"] | None = None,
    grid: Grid | None = None,
) -> Float[np.ndarray, "batch head row d_k"]:
    """Rotate q or k; `direction` −1 inverts. `places`: [n] or [B, n]; None: 0, 1, 2, …"""
    rows, d_k = a.shape[2:]
    places = np.arange(rows) if places is None else places
    angles = rotary.angles(places, d_k)
    if places.ndim == 2:
        angles = angles[:, None]
    cos, sin = (
        round_to_grid((f(angles) * rotary.magnitude).astype(a.dtype), grid)
        for f in (np.cos, np.sin)
    )
    sin *= direction
    left, right = rotary.ends(d_k)
    turned = a.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        x, y = a[..., left], a[..., right]
        turned[..., left] = round_to_grid(x * cos, grid) - round_to_grid(y * sin, grid)
        turned[..., right] = round_to_grid(x * sin, grid) + round_to_grid(y * cos, grid)
    return round_to_grid(turned, grid)
