"""Rounding errors of stages, and of a softmax that does not subtract the maximum."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.dtypes import GRIDS, Grid, round_to_grid
from attnscope.attention.ops import softmax
from attnscope.errors import TooLarge
from attnscope.trace.plan import Limits, megabytes
from attnscope.trace.stages import BY_NAME, NAMES
from attnscope.trace.trace import Trace

SOFTMAX_MAPS = 8


@described
class StageError:
    """Error of one stage against float64."""

    stage: str = doc("Stage name.")
    largest: Real = doc("Largest |difference|; null where a number is finite in only one of both.")
    non_finite: int = doc("Cells that are NaN or infinite; masked ones not counted.")


@described
class Rounding:
    """Softmax of the head's masked scores, rounded after each operation."""

    overflowed: int = doc("Exponentials that are infinite.")
    nan_rows: int = doc("Rows with NaN.")
    largest_error: Real = doc("Largest, from float64 on the same scores; null where a row is NaN.")


@described
class Rounded(Rounding):
    """Both maps are 0 in the rows of fully masked queries."""

    weights: np.ndarray
    exponentials: np.ndarray


def check_cost(traces: Sequence[int], cells: int, limits: Limits) -> int:
    """Bytes of all `traces` (bytes each) and of the softmaxes. Raises TooLarge."""
    together = sum(traces)
    if together > limits.max_trace_bytes:
        most = limits.max_trace_bytes
        raise TooLarge("precision", estimate=megabytes(together), limit=megabytes(most))
    return together + SOFTMAX_MAPS * cells * 8


def stage_errors(trace: Trace, exact: Trace, layer: int, head: int, batch: int) -> list[StageError]:
    found = []
    for name in NAMES:
        ours, right = (_cut(one, name, layer, head, batch) for one in (trace, exact))
        closed = np.isneginf(right) & (name == "masked_scores")
        non_finite = int((~np.isfinite(ours) & ~closed).sum())
        found.append(StageError(name, _largest_difference(ours, right), non_finite))
    return found


def softmaxes(trace: Trace, layer: int, head: int, batch: int) -> dict[str, Rounded]:
    scores = trace.layers[layer].head("masked_scores", batch, head)
    grid = GRIDS.get(trace.plan.dtype)
    return {
        "naive": _rounded(naive_softmax, scores, grid),
        "stable": _rounded(stable_softmax, scores, grid),
    }


def naive_softmax(scores: np.ndarray, grid: Grid | None) -> tuple[np.ndarray, np.ndarray]:
    exponentials = round_to_grid(np.exp(scores), grid)
    total = round_to_grid(exponentials.sum(axis=-1, keepdims=True), grid)
    return round_to_grid(exponentials / total, grid), exponentials


def stable_softmax(scores: np.ndarray, grid: Grid | None) -> tuple[np.ndarray, np.ndarray]:
    peak = scores.max(axis=-1, keepdims=True)
    exponentials = round_to_grid(np.exp(round_to_grid(scores - peak, grid)), grid)
    return softmax(scores, grid=grid), exponentials


def _rounded(
    way: Callable[[np.ndarray, Grid | None], tuple[np.ndarray, np.ndarray]],
    scores: np.ndarray,
    grid: Grid | None,
) -> Rounded:
    attending = ~np.isneginf(scores).all(axis=-1)
    weights, exponentials = np.zeros_like(scores), np.zeros_like(scores)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        weights[attending], exponentials[attending] = way(scores[attending], grid)
        right = softmax(scores[attending].astype(np.float64))
    bad = np.isnan(weights[attending]).any(axis=-1)
    error = np.abs(weights[attending] - right).max(initial=0.0)
    overflowed = int(np.isposinf(exponentials).sum())
    return Rounded(overflowed, int(bad.sum()), float(error), weights, exponentials)


def _cut(trace: Trace, name: str, layer: int, head: int, batch: int) -> np.ndarray:
    axis = BY_NAME[name].head_axis
    if axis is None:
        array: np.ndarray = trace.layers[layer][name][batch]
        return array
    group = 1 if axis == "head" else trace.plan.model.shape.queries_per_kv_head
    return trace.layers[layer].head(name, batch, head // group)


def _largest_difference(ours: np.ndarray, right: np.ndarray) -> float:
    both = np.isfinite(ours)
    if (both != np.isfinite(right)).any():
        return float("inf")
    return float(np.abs(ours[both] - right[both]).max(initial=0.0))
