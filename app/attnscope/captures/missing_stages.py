from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from attnscope.attention.attend import MAPS, merge_heads
from attnscope.attention.layer_context import StoredStages
from attnscope.attention.masks import Mask
from attnscope.attention.ops import softmax
from attnscope.captures.names import Layers, Sizes
from attnscope.errors import NotCaptured

CLOSED = float(np.finfo(np.float32).min) / 2  # lower scores count as −∞
AGREES = 1e-3  # relative tolerance, for captures in half precision
COMPUTED_STAGES = (*MAPS, "head_outputs", "concat", "output")
OPERANDS = {"scores": "q", **dict(zip(MAPS[1:], MAPS, strict=False))}
NEEDS = {
    "scores": "q, k",
    "scaled_scores": "q, k",
    "masked_scores": "q, k",
    "weights": "q, k",
    "head_outputs": "weights, v",
    "concat": "head_outputs",
    "output": "head_outputs, w_o",
}
Lengths = list[tuple[int, int]]


class Stages(StoredStages):
    """Missing stages raise NotCaptured."""

    def __missing__(self, name: str) -> np.ndarray:
        raise not_captured(name)


def not_captured(name: str) -> NotCaptured:
    needed = NEEDS.get(name)
    if needed is None:
        return NotCaptured("not_given", at="stage", stage=name)
    return NotCaptured("not_computable", at="stage", stage=name, needed=needed)


@dataclass
class Completed:
    """`computed` includes given stages that agree with their computation. `error`: largest
    difference between given and computed maps; None if none was compared."""

    stages: Stages
    mask: Mask
    computed: set[str] = field(default_factory=set)
    error: float | None = None


def is_causal(layers: Layers, sizes: Sizes, *, context: bool) -> bool:
    if context or sizes.n != sizes.m or sizes.n == 1:
        return False
    maps = [one for arrays in layers if (one := _open_in_any_head(arrays)) is not None]
    return bool(maps) and not any(np.triu(one, 1).any() for one in maps)


def complete(arrays: Stages, sizes: Sizes, mask: Mask, lengths: Lengths) -> Completed:
    """`lengths` exclude padding."""
    found = Completed(Stages(arrays), mask)
    followed = Stages(arrays)  # maps computed from the previous computed map, not from a given one
    with np.errstate(over="ignore", invalid="ignore"):  # checks.non_finite counts overflows
        for name in COMPUTED_STAGES:
            if name == "masked_scores":
                found.mask = _mask_of(found, arrays, lengths)
            compute = partial(_computed, name, sizes, found.mask, lengths)
            _complete_stage(name, found, arrays, followed, compute, lengths)
    order = ("x", "q", "k", "v", *COMPUTED_STAGES)
    found.stages = Stages({name: found.stages[name] for name in order if name in found.stages})
    return found


def scale_of(arrays: Mapping[str, np.ndarray], sizes: Sizes) -> float:
    """Factor on q kᵀ."""
    if "scale" in arrays:
        return float(arrays["scale"])
    return 1 / math.sqrt(sizes.d_k) if sizes.d_k else 1.0


def computed_numbers(layers: Layers, sizes: Sizes) -> int:
    """Bound the count of numbers in results and temporary arrays."""
    cells = sizes.batch * sizes.num_heads * sizes.n * sizes.m
    rows = sizes.batch * sizes.n * (2 * sizes.num_heads * sizes.d_v + sizes.out)
    of_maps = any({"q", "k"} <= one.keys() or one.keys() & set(MAPS[:3]) for one in layers)
    maps = len(MAPS) if of_maps else 0
    return len(layers) * (maps * cells + rows) + (maps + 1) * cells


def _complete_stage(
    name: str,
    found: Completed,
    arrays: Stages,
    followed: Stages,
    compute: Callable[[Stages], np.ndarray | None],
    lengths: Lengths,
) -> None:
    computed = compute(found.stages)
    if computed is None:
        return
    again: np.ndarray | None = computed
    if name in MAPS and followed[OPERANDS[name]] is not found.stages[OPERANDS[name]]:
        again = compute(followed)
    if again is not None:
        followed[name] = again
    if name not in arrays:
        found.stages[name] = computed
        found.computed.add(name)
        return
    given = arrays[name]
    within = partial(_difference, name, lengths, given)
    if within(computed) <= AGREES * max(1.0, within(np.zeros_like(computed))):
        found.computed.add(name)
    if name in MAPS and again is not None:
        found.error = max(within(again), found.error or 0.0)


def _difference(name: str, lengths: Lengths, given: np.ndarray, computed: np.ndarray) -> float:
    return max(
        _difference_within(
            *(one[b, ..., :n, : m if name in MAPS else None] for one in (given, computed))
        )
        for b, (n, m) in enumerate(lengths)
    )


def _difference_within(given: np.ndarray, computed: np.ndarray) -> float:
    there = (given > CLOSED) & np.isfinite(given) & np.isfinite(computed)
    return float(np.abs(given - computed).max(initial=0.0, where=there))


def _computed(
    name: str, sizes: Sizes, mask: Mask, lengths: Lengths, stages: Stages
) -> np.ndarray | None:
    """None if an operand is missing."""
    if name == "scores" and {"q", "k"} <= stages.keys():
        return _grouped_product(stages["q"], stages["k"].mT)
    if name == "scaled_scores" and "scores" in stages and (sizes.d_k or "scale" in stages):
        scores, scale = stages["scores"], scale_of(stages, sizes)
        scaled: np.ndarray = scores * scores.dtype.type(scale)
        return scaled
    if name == "masked_scores" and "scaled_scores" in stages:
        return _masked(stages["scaled_scores"], mask, lengths)
    if name == "weights" and "masked_scores" in stages:
        masked = stages["masked_scores"]
        return softmax(np.where(masked > CLOSED, masked, -np.inf))
    if name == "head_outputs" and {"weights", "v"} <= stages.keys():
        return _grouped_product(stages["weights"], stages["v"])
    if name == "concat" and "head_outputs" in stages:
        return merge_heads(stages["head_outputs"])
    if name == "output" and {"concat", "w_o"} <= stages.keys():
        output: np.ndarray = np.matmul(stages["concat"], stages["w_o"])
        return output
    return None


def _grouped_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Multiply [B, h, n, d] by [B, h_kv, d, m] to [B, h, n, m]."""
    batch, heads, n, d = left.shape
    groups = left.reshape(batch, right.shape[1], -1, n, d)
    product: np.ndarray = np.matmul(groups, right[:, :, None])
    return product.reshape(batch, heads, n, right.shape[-1])


def _masked(scaled: np.ndarray, mask: Mask, lengths: Lengths) -> np.ndarray:
    """Returns `scaled` itself if the mask closes nothing."""
    batch, heads, n, m = scaled.shape
    if mask.is_open_everywhere(n, m, lengths):
        return scaled
    masked = scaled.copy()
    for b in range(batch):
        for head in range(heads):
            masked[b, head][~_open(mask, n, m, lengths[b], b, head)] = -np.inf
    return masked


def _mask_of(found: Completed, arrays: Stages, lengths: Lengths) -> Mask:
    """The mask, limited to cells that the arrays show to be open."""
    if "masked_scores" in arrays:
        there = arrays["masked_scores"] > CLOSED
    elif "weights" in arrays and "scaled_scores" in found.stages:
        there = _has_weight(arrays["weights"], found.stages["scaled_scores"])
    else:
        return found.mask
    n, m = there.shape[2:]
    for b in range(len(there)):
        closed = ~_open(found.mask, n, m, lengths[b], b)
        if not (there[b] | closed).all():
            return replace(found.mask, given=there)
    return found.mask


def _has_weight(weights: np.ndarray, scaled: np.ndarray) -> np.ndarray:
    """Cells whose weight is not 0, or rounds to 0."""
    there: np.ndarray = weights != 0
    peak = scaled.max(axis=-1, keepdims=True, where=there, initial=-np.inf)
    smallest = math.log(float(np.finfo(weights.dtype).tiny))
    there |= scaled - peak < smallest
    there &= ~np.isneginf(peak)
    return there


def _open(
    mask: Mask, n: int, m: int, lengths: tuple[int, int], batch: int, head: int = 0
) -> np.ndarray:
    return mask.may_attend(np.arange(n), np.arange(m), lengths, batch, head)


def _open_in_any_head(arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Cells [n, m] that are open in any text and head."""
    if "masked_scores" in arrays:
        open_cells: np.ndarray = arrays["masked_scores"].max(axis=(0, 1)) > CLOSED
        return open_cells
    return arrays["weights"].max(axis=(0, 1)) > 0 if "weights" in arrays else None
