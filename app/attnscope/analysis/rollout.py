"""Attention rollout: how much of each token's x reaches each row, layer by layer.

    A_l = RESIDUAL · 1 + (1 − RESIDUAL) · heads of layer l as one map, rows to sum 1
    rollout up to layer l = A_l A_{l−1} … A_0

Abnar & Zuidema 2020, "Quantifying attention flow in transformers", section 3: heads are
averaged, and half of each row passes through the residual. The formula is the same for blocks
without a residual. Two variants: the maximum of the heads instead of their mean, and a share of the
lowest weights of each row set to 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from jaxtyping import Float

Fusion = Literal["mean", "max"]

RESIDUAL = 0.5
ROUNDING = 1e-9  # a share of a count that should be whole, 0.29 · 100, may be just below it


def rollout(
    layers: Iterable[np.ndarray], fusion: Fusion = "mean", discard: float = 0.0
) -> Iterator[np.ndarray]:
    """The map [n, n] up to each layer, of the weights [head, n, n] of one text, float64.

    Row i is the mixture of the tokens' first x in row i after that layer. A query that attends to
    nothing keeps its own row.

    Args:
        fusion: the mean or the maximum of the heads, cell by cell.
        discard: share of each row's weights, from 0 to below 1, that is set to 0: the lowest.
    """
    total: np.ndarray | None = None
    for weights in layers:
        fused = weights.mean(0, np.float64) if fusion == "mean" else weights.max(0).astype(float)
        mixed = (1 - RESIDUAL) * without_lowest(fused, discard)
        mixed[np.diag_indices(len(mixed))] += RESIDUAL
        mixed /= mixed.sum(axis=1, keepdims=True)
        total = mixed if total is None else mixed @ total
        yield total


def without_lowest(fused: Float[np.ndarray, "n m"], share: float) -> Float[np.ndarray, "n m"]:
    """A map in which a share of each row's weights, the lowest, is 0. Weights of 0 do not count,
    so that the mask does not; of equal ones those of earlier keys go first."""
    if share == 0:
        return fused
    there = (fused > 0).sum(axis=1, keepdims=True)
    gone = fused.shape[1] - there + np.floor(share * there + ROUNDING).astype(int)
    order = np.argsort(fused, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(fused.shape[1])[None], axis=1)
    return np.where(ranks < gone, 0, fused)
