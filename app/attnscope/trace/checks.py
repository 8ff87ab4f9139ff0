from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from attnscope.attention import thread_pool
from attnscope.attention.architecture import Parameters, Shape
from attnscope.attention.layer_context import LayerContext, LayerStages
from attnscope.attention.reference import layer_slowly

REFERENCE_PRODUCTS = 1 << 20  # multiplications in about 2 ms
REFERENCE_CELLS = 1 << 13
SPREAD = 1 << 18


@dataclass(frozen=True)
class Checks:
    """All None for long texts; `max_reference_error` also for large questions and captures."""

    max_row_sum_error: float | None
    fully_masked_rows: int | None
    non_finite: int | None
    max_reference_error: float | None


@dataclass(frozen=True)
class CaptureChecks(Checks):
    max_capture_error: float | None


def check_captured(
    layers: Sequence[Mapping[str, np.ndarray]],
    lengths: Sequence[tuple[int, int]],
    max_capture_error: float | None,
) -> CaptureChecks:
    error: float | None = None
    blind = np.zeros((len(lengths), max((queries for queries, _ in lengths), default=0)), bool)
    for layer in layers:
        if "weights" not in layer:
            continue
        for text, (queries, _) in enumerate(lengths):
            sums = layer["weights"][text, :, :queries].sum(axis=-1, dtype=np.float64)
            blind[text, :queries] |= (sums == 0).any(axis=0)
            errors = np.abs(sums - 1)[np.isfinite(sums) & (sums != 0)]
            error = max(error or 0.0, float(errors.max(initial=0.0)))
    counted = None if error is None else int(blind.sum())
    return CaptureChecks(error, counted, sum(map(_non_finite, layers)), None, max_capture_error)


def check(
    layers: Sequence[LayerStages], parameters: Sequence[Parameters], setting: LayerContext
) -> Checks:
    """Recomputes discarded maps only if they may have overflowed."""
    kept = [layer.kept for layer in layers]
    sums, non_finite = _inspect_layers(layers)
    alike = _layer_groups(setting)
    attending = [sums[some[0]] != 0 for some in alike]
    if non_finite:  # scores that are all −∞ give zeros, too
        attending = [own | _may_attend(setting.at(some[0]), ~own)
                     for own, some in zip(attending, alike, strict=True)]  # fmt: skip
    errors = [
        np.abs(sums[i][own & np.isfinite(sums[i])] - 1).max(initial=0.0)
        for own, some in zip(attending, alike, strict=True)
        for i in some
    ]
    reference = None
    if all("scores" in layer for layer in kept) and (
        sum(_products(layer, setting.shape) for layer in kept) <= REFERENCE_PRODUCTS
    ):
        reference = max(
            _reference_error(layers[i], parameters[i], setting.at(i)) for i in range(len(layers))
        )
    encodes = [setting.architecture.is_encoder_layer(some[0]) for some in alike]
    return Checks(float(max(errors)), _blind(attending, encodes), non_finite, reference)


def _inspect_layers(layers: Sequence[LayerStages]) -> tuple[list[np.ndarray], int]:
    sums: dict[int, np.ndarray] = {}
    non_finite: dict[int, int] = {}

    def look(i: int) -> None:
        sums[i] = layers[i].row_sums
        non_finite[i] = _non_finite(layers[i].kept)

    numbers = sum(array.size for layer in layers for array in layer.kept.values())
    thread_pool.for_each(look, range(len(layers)), spread=numbers >= SPREAD)
    again = sum(
        non_finite_in(layer[name])
        for layer in layers
        if layer.may_overflow()
        for name in ("scores", "scaled_scores", "weights")
        if name not in layer.kept
    )
    return [sums[i] for i in range(len(layers))], sum(non_finite.values()) + again


def _layer_groups(setting: LayerContext) -> list[list[int]]:
    knocked = setting.knockouts
    plain = [[i for i in kind if i not in knocked] for kind in setting.architecture.kinds]
    return [some for some in [*plain, *([i] for i in sorted(knocked))] if some]


def _may_attend(
    setting: LayerContext, rows: Bool[np.ndarray, "batch head row"]
) -> Bool[np.ndarray, "batch head row"]:
    """Those of `rows` with an open cell."""
    found = np.zeros_like(rows)
    for text, head in np.argwhere(rows.any(axis=-1)).tolist():
        asked, lengths = np.flatnonzero(rows[text, head]), setting.lengths[text]
        cells = setting.options.mask.may_attend(asked, np.arange(lengths[1]), lengths, text, head)
        found[text, head, asked] = cells.any(axis=1)
    return found


def _blind(attending: list[np.ndarray], encodes: list[bool]) -> int:
    blind = [((~one).any(axis=1), half) for one, half in zip(attending, encodes, strict=True)]
    sides = ([rows for rows, own in blind if own == half] for half in (True, False))
    return sum(int(np.any(side, axis=0).sum()) for side in sides if side)


def _products(layer: Mapping[str, np.ndarray], shape: Shape) -> int:
    (batch, heads, n, _), d = layer["scores"].shape, shape.d_k + shape.d_v
    cells = layer["scores"].size
    widths = (heads + shape.num_kv_heads) * d * shape.d_model
    mlp = 2 * shape.d_model * layer["hidden"].shape[-1] if "hidden" in layer else 0
    projections: int = batch * n * (widths + mlp)
    return projections + cells * max(d, REFERENCE_PRODUCTS // REFERENCE_CELLS)


def _non_finite(stages: Mapping[str, np.ndarray]) -> int:
    """Count non-finite numbers, except in masked_scores, where −∞ is intended."""
    return sum(non_finite_in(array) for name, array in stages.items() if name != "masked_scores")


def non_finite_in(array: np.ndarray) -> int:
    # If the sum of squares is finite, all numbers are.
    if math.isfinite(np.vdot(array, array)):
        return 0
    return int((~np.isfinite(array)).sum())


def _reference_error(
    layer: Mapping[str, np.ndarray], p: Parameters, setting: LayerContext
) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        slow = layer_slowly(layer["x"], p, setting)
    return difference(_end_to_end(layer[name] for name in slow), _end_to_end(slow.values()))


def _end_to_end(arrays: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([array.ravel() for array in arrays])


def difference(ours: np.ndarray, slow: np.ndarray) -> float:
    """Largest difference; infinite if a number is finite in one array only."""
    finite, there = np.isfinite(ours), np.isfinite(slow)
    if (finite != there).any():
        return float("inf")
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.abs(ours - slow).max(initial=0.0, where=finite))


UNCHECKED = Checks(None, None, None, None)
