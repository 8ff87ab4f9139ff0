"""Positions, as numbers that are added to the embeddings."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def sinusoidal(n: int, d_model: int) -> Float[np.ndarray, "n d_model"]:
    """sin(i / 10000^(2c/d)) in even columns 2c, cos of the same in odd ones.

    Vaswani et al. 2017, "Attention is all you need", section 3.5.
    """
    position = np.arange(n)[:, None]
    pair = np.arange(d_model) // 2
    angle = position / 10000.0 ** (2 * pair / d_model)
    even = np.arange(d_model) % 2 == 0
    return np.where(even, np.sin(angle), np.cos(angle))
