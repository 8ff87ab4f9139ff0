"""Sinusoidal, ALiBi, relative and rotary positions (Su et al. 2021, "RoFormer", section 3.4.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from jaxtyping import Float, Integer

from attnscope.attention.dtypes import Grid, round_to_grid

AskedPositions = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
Positions = Literal[AskedPositions, "relative"]


@dataclass(frozen=True)
class Relative:
    """Half the buckets (of each direction, if `both_ways`) hold one distance each, the others
    logarithmic ranges up to `furthest` (Raffel et al. 2020, section 2.1)."""

    buckets: int = 32
    furthest: int = 128
    both_ways: bool = False


BUCKETS = Relative()


def sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    """Read-only table (Vaswani et al. 2017, section 3.5)."""
    table = _cached_sinusoidal if n * d_model <= MOST_CACHED_NUMBERS else _sinusoidal
    return table(n, d_model)


def _sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    position = np.arange(n)[:, None]
    pair = np.arange(d_model) // 2
    angle = position / 10000.0 ** (2 * pair / d_model)
    even = np.arange(d_model) % 2 == 0
    table = np.where(even, np.sin(angle), np.cos(angle))
    table.flags.writeable = False
    return table


MOST_CACHED_NUMBERS = 1 << 14  # most numbers of a cached table
_cached_sinusoidal = lru_cache(maxsize=64)(_sinusoidal)


def alibi_slopes(heads: int) -> Float[np.ndarray, " heads"]:
    """ALiBi slopes (Press et al. 2022, section 3 and code)."""
    lower = 1 << int(math.log2(heads))
    slopes = 2.0 ** (-8 * np.arange(1, lower + 1) / lower)
    between = 2.0 ** (-8 * np.arange(1, 2 * lower + 1, 2) / (2 * lower))
    return np.concatenate([slopes, between[: heads - lower]])


def buckets(
    rows: Integer[np.ndarray, " rows"], cols: Integer[np.ndarray, " cols"], relative: Relative
) -> Integer[np.ndarray, "rows cols"]:
    """Logarithms are float32, as in training code."""
    ahead, count = cols - rows[:, None], relative.buckets
    if relative.both_ways:
        count //= 2
        start, apart = np.where(ahead > 0, count, 0), np.abs(ahead)
    else:
        start, apart = np.zeros_like(ahead), np.maximum(-ahead, 0)
    each = count // 2
    ratio = np.log(np.maximum(apart, 1).astype(np.float32) / np.float32(each))
    share = ratio / np.float32(math.log(relative.furthest / each)) * np.float32(count - each)
    far = np.minimum(each + share.astype(np.int64), count - 1)
    found: np.ndarray = start + np.where(apart < each, apart, far)
    return found


Pairs = Literal["neighbours", "halves"]
BASE = 10000.0


@dataclass(frozen=True)
class Rotary:
    """`pairs`: columns that rotate together, 2c and 2c + 1, or c and c + r/2. `columns`: r, how
    many rotate (None: all). `frequencies`: radians per position; `long`: those of texts longer than
    `original`. `magnitude`: factor on cos and sin."""

    pairs: Pairs = "neighbours"
    columns: int | None = None
    frequencies: tuple[float, ...] | None = None
    magnitude: float = 1.0
    original: int | None = None
    long: tuple[float, ...] | None = None

    def for_length(self, rows: int) -> Rotary:
        if self.long is None or self.original is None:
            return self
        frequencies = self.long if rows > self.original else self.frequencies
        return replace(self, frequencies=frequencies, long=None, original=None)

    def turned(self, d_k: int) -> int:
        return self.columns or d_k

    def speeds(self, d_k: int, rows: int) -> Float[np.ndarray, " pairs"]:
        frequencies = self.for_length(rows).frequencies
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
