"""Positions: added to the embeddings, turned into q and k, or taken off the scores."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from jaxtyping import Float, Integer

from app.attention.dtypes import Grid, fit

Positions = Literal["none", "sinusoidal", "learned", "rotary", "alibi"]


def sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    """sin(i / 10000^(2c/d)) in even columns 2c, cos of the same in odd ones.

    Vaswani et al. 2017, "Attention is all you need", section 3.5.
    """
    position = np.arange(n)[:, None]
    pair = np.arange(d_model) // 2
    angle = position / 10000.0 ** (2 * pair / d_model)
    even = np.arange(d_model) % 2 == 0
    return np.where(even, np.sin(angle), np.cos(angle))


def rotary_angles(n: int, d_k: int) -> Float[np.ndarray, "n pairs"]:
    """i · 10000^(−2c/d_k): how far position i turns the pair of columns (2c, 2c + 1)."""
    angles: np.ndarray = np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange(d_k // 2) / d_k)
    return angles


def rotate(
    a: Float[np.ndarray, "batch head row d_k"],
    direction: int = 1,
    first: int = 0,
    grid: Grid | None = None,
) -> Float[np.ndarray, "batch head row d_k"]:
    """Row i with each pair of columns (2c, 2c + 1) turned by its angle; −1 turns it back. Row 0
    stands at position `first`.

    Neighbouring columns are a pair, as in the paper; d_k is even. Turned queries and keys have
    products that depend on i − j alone (Su et al. 2021, "RoFormer", section 3.4.2).
    """
    rows, d_k = a.shape[2:]
    angles = rotary_angles(first + rows, d_k)[first:]
    cos, sin = (fit(f(angles).astype(a.dtype), grid) for f in (np.cos, np.sin))
    sin *= direction
    even, odd = a[..., 0::2], a[..., 1::2]
    turned = np.empty_like(a)
    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        turned[..., 0::2] = fit(even * cos, grid) - fit(odd * sin, grid)
        turned[..., 1::2] = fit(even * sin, grid) + fit(odd * cos, grid)
    return fit(turned, grid)


def alibi_slopes(heads: int) -> Float[np.ndarray, " heads"]:
    """2^(−8(i+1)/h) for h a power of two; else those of the next lower power, then every other
    one of the next higher (Press et al. 2022, "Train short, test long", section 3 and its code).
    """
    lower = 1 << int(math.log2(heads))
    slopes = 2.0 ** (-8 * np.arange(1, lower + 1) / lower)
    between = 2.0 ** (-8 * np.arange(1, 2 * lower + 1, 2) / (2 * lower))
    return np.concatenate([slopes, between[: heads - lower]])


def distances(
    rows: Integer[np.ndarray, " rows"], cols: Integer[np.ndarray, " cols"]
) -> Integer[np.ndarray, "rows cols"]:
    """|i − j|: what ALiBi multiplies by a head's slope and takes off its scaled scores."""
    apart: np.ndarray = np.abs(rows[:, None] - cols)
    return apart
