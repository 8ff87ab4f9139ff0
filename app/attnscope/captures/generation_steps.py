from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from attnscope.errors import ShapeMismatch

STEP = re.compile(r"(?:attentions|weights)\.(\d{1,9})\.(\d{1,9})", re.ASCII)


def joined_steps(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Join `attentions.<step>.<layer>` [B, h, rows, keys] of transformers' generate() to
    `layers.<i>.weights` [B, h, n, m]. Other arrays stay as they are.

    Raises ShapeMismatch if a step is missing or does not fit the others.
    """
    steps = {(int(at[2]), int(at[1])): name for name in arrays if (at := STEP.fullmatch(name))}
    rest = {name: array for name, array in arrays.items() if not STEP.fullmatch(name)}
    if not steps:
        return rest
    layers = len({layer for layer, _ in steps})
    count = len({step for _, step in steps})
    for layer in range(layers):
        for step in range(count):
            if (layer, step) not in steps:
                raise _mismatch("capture_step_missing", step=step, layer=layer)
        parts = {steps[layer, step]: arrays[steps[layer, step]] for step in range(count)}
        rest[f"layers.{layer}.weights"] = _joined(parts)
    return rest


def joined_cells(arrays: Mapping[str, np.ndarray]) -> int:
    """Bound the number of cells that `joined_steps` allocates."""
    found = [array.shape for name, array in arrays.items() if STEP.fullmatch(name)]
    shapes = [shape for shape in found if len(shape) == 4]
    rows: int = sum(math.prod(shape[:3]) for shape in shapes)
    return rows * max((int(shape[3]) for shape in shapes), default=0)


def _joined(parts: Mapping[str, np.ndarray]) -> np.ndarray:
    """The keys of a step are all tokens so far, or all slots of a static cache."""
    first = next(iter(parts.values()))
    for name, part in parts.items():
        if part.ndim != 4:
            raise _mismatch("capture_step_axes", name=name, found=list(part.shape))
        if part.shape[:2] != first.shape[:2]:
            raise _mismatch("capture_step_shape", name=name, found=list(part.shape),
                            expected=list(first.shape))  # fmt: skip
    if _is_without_cache(list(parts.values())):
        return list(parts.values())[-1]
    keys = max(part.shape[3] for part in parts.values())
    rows = 0
    for name, part in parts.items():
        rows += part.shape[2]
        if part.shape[3] not in (rows, keys):
            raise _mismatch("capture_step_keys", name=name, found=part.shape[3], rows=rows)
    joined = np.zeros((*first.shape[:2], rows, keys), np.result_type(*parts.values()))
    start = 0
    for part in parts.values():
        joined[:, :, start : start + part.shape[2], : part.shape[3]] = part
        start += part.shape[2]
    if keys > rows and not joined[..., rows:].any():
        return joined[..., :rows]  # drops unused slots of the cache
    return joined


def _is_without_cache(parts: list[np.ndarray]) -> bool:
    """Whether each step repeats all earlier rows."""
    sizes = [part.shape[2] for part in parts]
    squares = all(part.shape[3] == size for part, size in zip(parts, sizes, strict=True))
    return squares and len(sizes) > 1 and sizes == sorted(set(sizes))


def _mismatch(reason: str, **values: object) -> ShapeMismatch:
    return ShapeMismatch(reason, at="arrays", **values)
