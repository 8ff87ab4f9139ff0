"""Metrics of a head's behaviour: means over queries that are not fully masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class HeadMetrics:
    """entropy in nats (0 … ln m); distance = Σⱼ w |i − j| in tokens; first, previous, own: the
    weight on key 0, i − 1 and i. Metrics that compare positions are None in cross-attention.

    Over queries whose token occurred earlier: duplicate_token, the weight on these copies;
    induction, the weight on the keys after them without the query itself (Olsson et al. 2022,
    "In-context learning and induction heads"). None if no query counts.
    """

    entropy: float
    distance: float | None
    first: float
    previous: float | None
    own: float | None
    duplicate_token: float | None = None
    induction: float | None = None


def head_metrics(
    weights: np.ndarray, tokens: Sequence[object] | None = None, *, same_text: bool = True
) -> list[HeadMetrics]:
    """Metrics from weights [head, query, key] of one text and its tokens (None: padding). Zeros if
    fully masked, NaN on overflow."""
    _, n, m = weights.shape
    rows, cols = np.arange(n)[:, None], np.arange(m)
    attending = (weights != 0).any(-1)
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
        return _with_repeats(every, weights, attending, tokens)
    return [replace(one, distance=None, previous=None, own=None) for one in every]


def _with_repeats(
    every: list[HeadMetrics],
    weights: np.ndarray,
    attending: np.ndarray,
    tokens: Sequence[object] | None,
) -> list[HeadMetrics]:
    if tokens is None:
        return every
    earlier = earlier_copies(tokens)
    after = np.zeros_like(earlier)
    after[:, 1:] = earlier[:, :-1]
    np.fill_diagonal(after, False)
    copies, followers = _on(weights, earlier, attending), _on(weights, after, attending)
    return [
        replace(one, duplicate_token=copies[head], induction=followers[head])
        for head, one in enumerate(every)
    ]


def _on(weights: np.ndarray, cells: np.ndarray, attending: np.ndarray) -> list[float | None]:
    counted = attending & cells.any(-1)
    means = _mean(np.where(cells, weights, 0).sum(-1), counted)
    return [float(mean) if of.any() else None for mean, of in zip(means, counted, strict=True)]


def earlier_copies(tokens: Sequence[object]) -> np.ndarray:
    """[n, n]: whether key j < i has the token of query i."""
    names: dict[object, int] = {}
    ids = np.array([-1 if one is None else names.setdefault(one, len(names)) for one in tokens])
    same_token = (ids[:, None] == ids) & (ids[:, None] >= 0)
    earlier: np.ndarray = np.tril(same_token, -1)
    return earlier


def _mean(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    total: np.ndarray = np.where(counted, values, 0).sum(axis=1, dtype=np.float64)
    means: np.ndarray = total / np.maximum(counted.sum(axis=1), 1)
    return means
