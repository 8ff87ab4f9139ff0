"""Attention rollout: how much of each token's own x arrives in each row, layer after layer.

    A_l = RESIDUAL · 1 + (1 − RESIDUAL) · mean of layer l's weights over its heads, rows to sum 1
    rollout up to layer l = A_l A_{l−1} … A_0

Abnar & Zuidema 2020, "Quantifying attention flow in transformers", section 3: the residual passes
half of a row on as it is. It is taken so whatever the block: blocks without a residual too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

RESIDUAL = 0.5


def rollout(layers: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """The map [n, n] up to each layer, of the weights [head, n, n] of one text, float64.

    Row i tells how row i behind that layer is mixed of the tokens' first x. A query that attends
    to nothing keeps its own row.
    """
    total: np.ndarray | None = None
    for weights in layers:
        mixed = (1 - RESIDUAL) * weights.mean(axis=0, dtype=np.float64)
        mixed[np.diag_indices(len(mixed))] += RESIDUAL
        mixed /= mixed.sum(axis=1, keepdims=True)
        total = mixed if total is None else mixed @ total
        yield total
