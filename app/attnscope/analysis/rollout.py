"""Attention rollout A_l A_{l−1} … A_0 (Abnar & Zuidema 2020, section 3), here for all kinds of
blocks.

    A_l = RESIDUAL · 1 + (1 − RESIDUAL) · fused heads of layer l, with rows that sum to 1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from jaxtyping import Float

Fusion = Literal["mean", "max"]

RESIDUAL = 0.5
ROUNDING = 1e-9  # added, as 0.29 · 100 is just below 29


def rollout(
    layers: Iterable[np.ndarray], fusion: Fusion = "mean", discard: float = 0.0
) -> Iterator[np.ndarray]:
    """Rollout up to each layer, in float64. A fully masked query keeps its row of the previous
    layer. `discard`: share, below 1, of a row's nonzero weights to drop, lowest first."""
    total: np.ndarray | None = None
    for weights in layers:
        fused = weights.mean(0, np.float64) if fusion == "mean" else weights.max(0).astype(float)
        mixed = (1 - RESIDUAL) * without_lowest(fused, discard)
        mixed[np.diag_indices(len(mixed))] += RESIDUAL
        mixed /= mixed.sum(axis=1, keepdims=True)
        total = mixed if total is None else mixed @ total
        yield total


def without_lowest(fused: Float[np.ndarray, "n m"], share: float) -> Float[np.ndarray, "n m"]:
    """Of equal weights, drop those of earlier keys first."""
    if share == 0:
        return fused
    there = (fused > 0).sum(axis=1, keepdims=True)
    gone = fused.shape[1] - there + np.floor(share * there + ROUNDING).astype(int)
    order = np.argsort(fused, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(fused.shape[1])[None], axis=1)
    return np.where(ranks < gone, 0, fused)
