"""Operations and memory traffic of every stage.

A dot product over length c takes c multiplications and c − 1 additions; a division counts as a
multiplication. Biases, residuals, norms and activation functions do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from operator import add

import numpy as np
from jaxtyping import Integer

from attnscope.analysis.schema import described, doc
from attnscope.attention.architecture import Shape
from attnscope.attention.masks import Mask

Count = int | float
PROJECTIONS = ("q", "k", "v", "output")
MAPS = ("scores", "scaled_scores", "masked_scores", "weights", "head_outputs")


@dataclass(frozen=True)
class Work:
    """`pairs`: pairs (query, key) of one head. `calls`: how often the matrices are read."""

    rows: int
    pairs: int
    keys: int
    calls: int = 1

    @classmethod
    def whole(cls, n: int, pairs: int | None = None) -> Work:
        return cls(n, n * n if pairs is None else pairs, n)


@dataclass(frozen=True)
class Cost:
    """`read`, `written`: numbers, not bytes."""

    multiplications: int = 0
    additions: int = 0
    exponentials: int = 0
    read: int = 0
    written: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*map(add, astuple(self), astuple(other)))


def stages(shape: Shape, work: Work, hidden: int = 0) -> dict[str, Cost]:
    s, h, kv = shape, shape.num_heads, shape.num_kv_heads
    cells = h * work.pairs
    found = {
        "q": product(work, s.d_model, h * s.d_k),
        "k": product(work, s.d_model, kv * s.d_k),
        "v": product(work, s.d_model, kv * s.d_v),
        "scores": Cost(
            cells * s.d_k, cells * (s.d_k - 1),
            read=h * work.rows * s.d_k + kv * work.keys * s.d_k, written=cells,
        ),
        "scaled_scores": Cost(cells, read=cells, written=cells),
        "masked_scores": Cost(read=cells, written=cells),
        "weights": Cost(cells, 2 * cells - h * work.rows, cells, read=cells, written=cells),
        "head_outputs": Cost(
            cells * s.d_v, (cells - h * work.rows) * s.d_v,
            read=cells + kv * work.keys * s.d_v, written=h * work.rows * s.d_v,
        ),
        "concat": Cost(),
        "output": product(work, h * s.d_v, s.d_model),
    }  # fmt: skip
    return found | (_mlp(work, s.d_model, hidden) if hidden else {})


def product(work: Work, width: int, columns: int) -> Cost:
    numbers = work.rows * columns
    read = work.rows * width + work.calls * width * columns
    return Cost(numbers * width, numbers * (width - 1), read=read, written=numbers)


def _mlp(work: Work, d_model: int, hidden: int) -> dict[str, Cost]:
    numbers = work.rows * hidden
    return {
        "hidden": product(work, d_model, hidden),
        "activated": Cost(read=numbers, written=numbers),
        "mlp_output": product(work, hidden, d_model),
    }


def total(costs: Iterable[Cost]) -> Cost:
    return sum(costs, Cost())


def fused(shape: Shape, work: Work) -> Cost:
    width = shape.num_heads * shape.d_k + shape.num_kv_heads * (shape.d_k + shape.d_v)
    return product(work, shape.d_model, width)


def without_cache(n: int) -> Work:
    """Recompute all rows for each token."""
    rows = n * (n + 1) // 2
    return Work(rows, n * (n + 1) * (n + 2) // 6, rows, n)


def with_cache(n: int) -> Work:
    return Work(n, n * (n + 1) // 2, n * (n + 1) // 2, n)


def cache_numbers(shape: Shape, n: int) -> int:
    return shape.num_kv_heads * n * (shape.d_k + shape.d_v)


def break_even_length(shape: Shape) -> float:
    """Length above which q kᵀ and weights v cost more than projections."""
    s, h, kv = shape, shape.num_heads, shape.num_kv_heads
    each_row = s.d_model * (h * s.d_k + kv * (s.d_k + s.d_v) + h * s.d_v)
    return each_row / (h * (s.d_k + s.d_v))


def linear(shape: Shape, work: Work) -> dict[str, Cost]:
    """Linear attention with running sums (Katharopoulos et al. 2020)."""
    h, kv, d_k, d_v = shape.num_heads, shape.num_kv_heads, shape.d_k, shape.d_v
    n, numbers = work.rows, (shape.num_heads + shape.num_kv_heads) * work.rows * shape.d_k
    state = kv * d_k * (d_v + 1)
    return {
        "features": Cost(0, numbers, numbers, read=numbers, written=numbers),
        "sums": Cost(
            n * kv * d_k * d_v, n * state, read=n * kv * (d_k + d_v), written=work.calls * state
        ),
        "head_outputs": Cost(
            n * h * (d_k * (d_v + 1) + d_v), n * h * (d_k - 1) * (d_v + 1),
            read=n * h * d_k + work.calls * state, written=n * h * d_v,
        ),
    }  # fmt: skip


@described
class LayerKind:
    """A kind of layer (Vaswani et al. 2017, table 1)."""

    name: str = doc("self_attention, recurrent, convolutional or restricted (self-attention).")
    order: Count = doc("The published n² d, n d², k n d² or r n d, evaluated.")
    sequential: int = doc("Operations that must follow each other.")
    path: int = doc("Longest path between two places, in layers.")
    multiplications: Count = doc("Counted, projections included.")


def layer_kinds(n: int, d: int, near: int, kernel: int) -> list[LayerKind]:
    """`kernel`: width of the dilated convolution, at least 2. `near`: keys of restricted
    self-attention."""
    near = min(near, n)
    return [
        LayerKind("self_attention", n * n * d, 1, 1, 4 * n * d * d + 2 * n * n * d),
        LayerKind("recurrent", n * d * d, n, n, 2 * n * d * d),
        LayerKind("convolutional", kernel * n * d * d, 1, _steps(n, kernel), kernel * n * d * d),
        LayerKind("restricted", near * n * d, 1, math.ceil(n / near),
                  4 * n * d * d + 2 * near * n * d),
    ]  # fmt: skip


def _steps(n: int, base: int) -> int:
    steps, reach = 1, base
    while reach < n:
        steps, reach = steps + 1, reach * base
    return steps


Each = Integer[np.ndarray, " rows"]


def open_cells(mask: Mask, n: int) -> int:
    """Count cells open by causality, window, blocks, stride and global tokens."""
    rows = np.arange(n, dtype=np.int64)
    end = rows + 1 if mask.causal else np.full(n, n, np.int64)
    if not mask.patterns:
        return int(end.sum())
    first = np.where(rows < mask.global_tokens, end, np.minimum(mask.global_tokens, end))
    near, far = _near_keys(mask, rows)
    # Keys 0 … first − 1 and near … far − 1 are open, and others at the stride.
    near, far = np.maximum(near, first), np.minimum(far, end)
    far = np.maximum(near, far)
    found = first + far - near
    if mask.stride is not None:
        between = _count_stride(rows, first, near, mask.stride)
        found = found + between + _count_stride(rows, far, np.maximum(far, end), mask.stride)
    return int(found.sum())


def _near_keys(mask: Mask, rows: Each) -> tuple[Each, Each]:
    """First and end of the keys in window or block; both contain the query."""
    near, far = rows, rows
    if mask.window is not None:
        near, far = rows - mask.window + 1, rows + mask.window
    if mask.block_size is not None:
        start = rows // mask.block_size * mask.block_size
        near, far = np.minimum(near, start), np.maximum(far, start + mask.block_size)
    return near, far


def _count_stride(rows: Each, start: Each, end: Each, stride: int) -> Each:
    found: Each = (end - 1 - rows) // stride - (start - 1 - rows) // stride
    return found
