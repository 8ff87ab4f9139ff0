"""The maps of a layer, strip by strip: a strip is up to BLOCK_ROWS queries of one head.

Strips go over the cores. Of its keys a strip sees those between the first and the last that any of
its queries may attend to: half the softmax of a causal map, and nearly all of a windowed one, need
not be taken, for the weights outside are 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Integer

from app.attention import lanes
from app.attention.dtypes import Grid
from app.attention.masks import Mask
from app.attention.ops import BLOCK_ROWS, softmax

SPREAD_CELLS = 1 << 17  # below this many cells, handing out work costs more than it saves


class Seen(NamedTuple):
    """The keys that some query of a strip sees; among them those that are closed to some, and
    to which."""

    keys: slice
    partly: slice
    closed: Bool[np.ndarray, "rows partly"]


@dataclass(frozen=True)
class Strip:
    """`here` is where its rows are in the maps, in q and in the head outputs, `kv_head` where its
    keys are in k and v; `queries` and `keys` are their places in the text."""

    head: int
    here: tuple[int, int, slice]
    kv_head: tuple[int, int]
    queries: Integer[np.ndarray, " rows"]
    keys: Integer[np.ndarray, " key"]
    seen: Seen

    def mask(
        self, scaled: Float[np.ndarray, "rows key"], out: Float[np.ndarray, "rows key"]
    ) -> None:
        """The scaled scores where open, −∞ elsewhere."""
        keys, partly, closed = self.seen
        np.copyto(out[:, keys], scaled[:, keys])
        np.copyto(out[:, partly], -np.inf, where=closed)
        self._fill(out, -np.inf)

    def softmax(
        self,
        masked: Float[np.ndarray, "rows key"],
        out: Float[np.ndarray, "rows key"],
        grid: Grid | None,
    ) -> None:
        """Of the keys that are seen; the others weigh 0."""
        keys = self.seen.keys
        softmax(masked[:, keys], out=out[:, keys], grid=grid)
        self._fill(out, 0.0)

    def _fill(self, out: np.ndarray, nothing: float) -> None:
        out[:, : self.seen.keys.start] = nothing
        out[:, self.seen.keys.stop :] = nothing


def count_strips(batch: int, heads: int, n: int) -> int:
    """How many strips the maps of a layer have: each costs some steps, however few its cells."""
    return batch * heads * math.ceil(n / BLOCK_ROWS)


def over_strips(
    work: Callable[[Strip], None],
    sizes: tuple[int, int, int, int],
    kv_heads: int,
    lengths: list[tuple[int, int]],
    mask: Mask,
    first: int,
) -> None:
    """work(strip) for all strips of maps [batch, head, query, key]; infinities and what is no
    number pass without a word (they are counted in checks.non_finite)."""
    batch, heads, n, m = sizes
    group, keys = heads // kv_heads, np.arange(m)

    @cache  # every head of a batch row has the same mask, unless one is given for each
    def seen(b: int, h: int, start: int) -> tuple[np.ndarray, Seen]:
        queries = first + np.arange(start, min(start + BLOCK_ROWS, n))
        return queries, _seen(mask.may_attend(queries, keys, lengths[b], b, h))

    def one(item: tuple[int, int, int]) -> None:
        b, h, start = item
        queries, some = seen(b, h if mask.differs_by_head else 0, start)
        here = (b, h, slice(start, start + BLOCK_ROWS))
        with np.errstate(over="ignore", invalid="ignore"):  # a setting of each thread
            work(Strip(h, here, (b, h // group), queries, keys, some))

    strips = list(product(range(batch), range(heads), range(0, n, BLOCK_ROWS)))
    lanes.for_each(one, strips, spread=math.prod(sizes) >= SPREAD_CELLS)


def _seen(allowed: Bool[np.ndarray, "rows key"]) -> Seen:
    keys = _span(allowed)
    partly = _span(~allowed[:, keys], keys.start)
    return Seen(keys, partly, ~allowed[:, partly])


def _span(cells: Bool[np.ndarray, "rows cols"], offset: int = 0) -> slice:
    """The columns between the first and the last that any row has a cell in."""
    columns = (np.flatnonzero(cells.any(axis=0)) + offset).tolist()
    return slice(columns[0], columns[-1] + 1) if columns else slice(0, 1)
