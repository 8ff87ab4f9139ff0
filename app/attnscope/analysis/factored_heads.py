"""Head metrics (`heads.py`) of a factored map, from one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnscope import stopping
from attnscope.analysis.heads import HeadMetrics
from attnscope.attention.flash_pass import RowSums
from attnscope.attention.one_head import OneHead
from attnscope.attention.online_softmax import weigh
from attnscope.attention.overview import Rows

AT_ONCE = 1 << 20
PAIRS = 1 << 27  # of copies, at most: about a second
NONE = -1.0  # no such key; NaN: overflow


def factored_metrics(
    one: OneHead,
    rows: Rows,
    tokens: Sequence[object] | None = None,
    *,
    same_text: bool = True,
) -> HeadMetrics:
    """`head_metrics` of one head; those of repeated tokens are None beyond PAIRS."""
    attending = rows.sums.total != 0
    later = attending & (np.arange(len(attending)) > 0)
    metrics = HeadMetrics(
        _mean(rows.entropy, attending), _mean(rows.distance, attending),
        _mean(rows.first, attending), _mean(rows.previous, later), _mean(rows.own, attending),
    )  # fmt: skip
    if not same_text:
        return replace(metrics, distance=None, previous=None, own=None)
    places = [] if tokens is None else _places_of(tokens)
    if not places or sum(len(some) ** 2 for some in places) > PAIRS:
        return metrics
    copies, followers = _on_copies(one, rows.sums, places)
    return replace(
        metrics,
        duplicate_token=_mean_of(copies, attending),
        induction=_mean_of(followers, attending),
    )


def _places_of(tokens: Sequence[object]) -> list[Integer[np.ndarray, " copy"]]:
    places: dict[object, list[int]] = {}
    for at, token in enumerate(tokens):
        if token is not None:
            places.setdefault(token, []).append(at)
    return [np.array(some) for some in places.values() if len(some) > 1]


def _on_copies(
    one: OneHead, sums: RowSums, places: list[Integer[np.ndarray, " copy"]]
) -> tuple[Float[np.ndarray, " row"], Float[np.ndarray, " row"]]:
    """Each row's weight on earlier copies of its token, and on the keys after these."""
    copies, followers = np.full((2, len(sums.total)), NONE)
    for where in places:
        step = max(1, AT_ONCE // len(where))
        for start in range(0, len(where), step):
            stopping.check()
            at = where[start : start + step]
            for weights_on, cols in ((copies, where), (followers, where + 1)):
                there = cols[cols < one.shape[1]]
                weights_on[at] = _weight_on(one, sums, at, there, there < at[:, None])
    return copies, followers


def _weight_on(
    one: OneHead, sums: RowSums, rows: np.ndarray, cols: np.ndarray,
    cells: Bool[np.ndarray, "rows cols"],
) -> Float[np.ndarray, " rows"]:  # fmt: skip
    """The weight of each row on some cells, clipped to 1 against rounding."""
    own = RowSums(sums.peak[rows], sums.total[rows])
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.where(cells, weigh(one.masked_at(rows, cols), own), 0).sum(axis=1)
    return np.where(cells.any(axis=1), np.minimum(weights, 1), NONE)


def _mean(values: np.ndarray, counted: np.ndarray) -> float:
    return float(values[counted].mean(dtype=np.float64)) if counted.any() else 0.0


def _mean_of(values: np.ndarray, attending: np.ndarray) -> float | None:
    counted = attending & (values != NONE)
    return _mean(values, counted) if counted.any() else None
