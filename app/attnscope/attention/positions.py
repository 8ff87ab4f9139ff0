"""Sinusoidal, ALiBi and relative positions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from jaxtyping import Float, Integer

AskedPositions = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]
Positions = Literal[AskedPositions, "relative"]


@dataclass(frozen=True)
class Relative:
    """Half the buckets hold one distance each, the others logarithmic ranges up to `furthest`
    (Raffel et al. 2020, section 2.1)."""

    buckets: int = 32
    furthest: int = 128
    both_ways: bool = False


BUCKETS = Relative()


def sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    """Read-only (Vaswani et al. 2017, section 3.5)."""
    table = _remembered if n * d_model <= REMEMBERED else _sinusoidal
    return table(n, d_model)


def _sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    position = np.arange(n)[:, None]
    pair = np.arange(d_model) // 2
    angle = position / 10000.0 ** (2 * pair / d_model)
    even = np.arange(d_model) % 2 == 0
    table = np.where(even, np.sin(angle), np.cos(angle))
    table.flags.writeable = False
    return table


REMEMBERED = 1 << 14  # most numbers of a cached table
_remembered = lru_cache(maxsize=64)(_sinusoidal)


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
