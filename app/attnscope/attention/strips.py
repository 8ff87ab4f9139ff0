"""Maps in strips. A strip is BLOCK_ROWS queries of one head, or of several small heads."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from attnscope.attention import thread_pool
from attnscope.attention.dtypes import Grid
from attnscope.attention.masks import Mask
from attnscope.attention.ops import BLOCK_ROWS, softmax

SPREAD_CELLS = 1 << 15  # larger maps run on all cores
TOGETHER = 1 << 14  # most cells of a strip of several small heads


class OpenKeys(NamedTuple):
    """`keys`: range from the first to the last key open to any query of a strip. `partly`: the part
    of this range where some cells are `closed`."""

    keys: slice
    partly: slice
    closed: Bool[np.ndarray, "rows partly"]


@dataclass(frozen=True)
class Strip:
    """`here`: index of the strip in maps, q and head outputs. `kv_heads`: index in k and v."""

    heads: slice
    here: tuple[int, slice, slice]
    kv_heads: tuple[int, slice]
    seen: OpenKeys

    def mask(
        self, scaled: Float[np.ndarray, "head rows key"], out: Float[np.ndarray, "head rows key"]
    ) -> None:
        keys, partly, closed = self.seen
        np.copyto(out[..., keys], scaled[..., keys])
        np.copyto(out[..., partly], -np.inf, where=closed)
        self._fill(out, -np.inf)

    def softmax(
        self,
        masked: Float[np.ndarray, "head rows key"],
        out: Float[np.ndarray, "head rows key"],
        grid: Grid | None,
    ) -> None:
        keys = self.seen.keys
        softmax(masked[..., keys], out=out[..., keys], grid=grid)
        self._fill(out, 0.0)

    def _fill(self, out: np.ndarray, nothing: float) -> None:
        keys = self.seen.keys
        if keys.start > 0:
            out[..., : keys.start] = nothing
        if keys.stop < out.shape[-1]:
            out[..., keys.stop :] = nothing


def count_strips(batch: int, heads: int, n: int) -> int:
    return batch * heads * math.ceil(n / BLOCK_ROWS)


def over_strips(
    work: Callable[[Strip], None],
    sizes: tuple[int, int, int, int],
    kv_heads: int,
    lengths: list[tuple[int, int]],
    mask: Mask,
    first: int,
) -> None:
    batch, heads, n, m = sizes
    group, keys = heads // kv_heads, np.arange(m)
    together = 1 if mask.differs_by_head else _together(sizes, group)

    @cache  # shared by heads with the same mask
    def seen(b: int, h: int, start: int) -> OpenKeys:
        queries = first + np.arange(start, min(start + BLOCK_ROWS, n))
        return _seen(mask.may_attend(queries, keys, lengths[b], b, h))

    def one(item: tuple[int, int, int]) -> None:
        b, h, start = item
        of = slice(h, min(h + together, heads))
        of_kv = of if group == 1 else slice(h // group, h // group + 1)
        here = (b, of, slice(start, start + BLOCK_ROWS))
        work(Strip(of, here, (b, of_kv), seen(b, h if mask.differs_by_head else 0, start)))

    strips = list(product(range(batch), range(0, heads, together), range(0, n, BLOCK_ROWS)))
    thread_pool.for_each(one, strips, spread=math.prod(sizes) >= SPREAD_CELLS)


def _together(sizes: tuple[int, int, int, int], group: int) -> int:
    _, heads, n, m = sizes
    most = max(1, TOGETHER // max(1, n * m))
    if group == 1:
        return min(most, heads)
    return max(size for size in range(1, group + 1) if group % size == 0 and size <= most)


def _seen(allowed: Bool[np.ndarray, "rows key"]) -> OpenKeys:
    keys = _span(allowed)
    partly = _span(~allowed[:, keys], keys.start)
    return OpenKeys(keys, partly, ~allowed[:, partly])


def _span(cells: Bool[np.ndarray, "rows cols"], offset: int = 0) -> slice:
    columns = (np.flatnonzero(cells.any(axis=0)) + offset).tolist()
    return slice(columns[0], columns[-1] + 1) if columns else slice(0, 1)
