"""How a head behaves, in five numbers, each a mean over the queries that attend to something."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class HeadMetrics:
    """entropy in nats (0: one key takes all, ln m: all alike); distance = Σⱼ w |i − j| in tokens;
    first, previous, own: the weight on key 0, i − 1 (queries from 1 on) and i. What compares a
    query's place with a key's is None where the keys are another text's."""

    entropy: float
    distance: float | None
    first: float
    previous: float | None
    own: float | None


def head_metrics(weights: np.ndarray, *, same_text: bool = True) -> list[HeadMetrics]:
    """One a head, of the weights [head, query, key] of one text; fully masked queries (and so
    padding) do not count. A head that attends to nothing has zeros."""
    _, n, m = weights.shape
    rows, cols = np.arange(n)[:, None], np.arange(m)
    attending = weights[0].sum(-1) > 0
    safe = np.where(weights > 0, weights, 1)
    per_query = {
        "entropy": -(weights * np.log(safe)).sum(-1),
        "distance": (weights * np.abs(rows - cols)).sum(-1),
        "first": weights[:, :, 0],
        "previous": np.where(cols == rows - 1, weights, 0).sum(-1),
        "own": np.where(cols == rows, weights, 0).sum(-1),
    }
    has_previous = attending & (np.arange(n) > 0)
    means = {
        name: _mean(values, has_previous if name == "previous" else attending)
        for name, values in per_query.items()
    }
    every = [
        HeadMetrics(**{name: float(values[head]) for name, values in means.items()})
        for head in range(len(weights))
    ]
    if same_text:
        return every
    return [replace(one, distance=None, previous=None, own=None) for one in every]


def _mean(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """[head, query] → [head]."""
    if not counted.any():
        return np.zeros(len(values))
    mean: np.ndarray = values[:, counted].mean(axis=1, dtype=np.float64)
    return mean
