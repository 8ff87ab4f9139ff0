"""Positions: added to the embeddings, or taken off the scores; `rotary.py` turns q and k."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from jaxtyping import Float, Integer

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
