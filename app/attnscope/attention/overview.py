"""One pass over the map of a head: a zoom level and statistics of rows.

    entropy = ln Σ e^(s − peak) − Σ (s − peak) w        distance = Σ w |i − j|

Weights of a square's rows are added at the end of a strip, when softmax divisors are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.flash_pass import KEYS, QUERIES, Products, RowSums, blocks_of, open_blocks
from attnscope.attention.level import Level
from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import BlockState
from attnscope.attention.one_head import OneHead
from attnscope.attention.online_softmax import GROUP, OnlineSoftmax
from attnscope.attention.squares import Squares

PIECES = 128

Tick = Callable[[int, int], object]


class Rows(NamedTuple):
    """Entropy is in nats. `first`, `previous`, `own`: weights of query i on keys 0, i − 1 and i.
    All are 0 if the query is fully masked."""

    sums: RowSums
    entropy: Float[np.ndarray, " rows"]
    largest: Float[np.ndarray, " rows"]
    distance: Float[np.ndarray, " rows"]
    first: Float[np.ndarray, " rows"]
    previous: Float[np.ndarray, " rows"]
    own: Float[np.ndarray, " rows"]


@dataclass(frozen=True)
class Overview:
    """`low`, `high`: extremes of open cells (weights: `low` is 0), ∞ and −∞ if there are none.
    `rows`: only of weights."""

    side: int
    level: Level
    low: float
    high: float
    rows: Rows | None


Part = tuple[Level, Rows | None]


def overview(
    fmap: FactoredMap,
    stage: str,
    batch: int,
    head: int,
    side: int,
    tick: Tick | None = None,
    executor: Executor | None = None,
) -> Overview:
    """Calls tick(done, of), which may raise, after each piece. Every executor (None: local cores)
    gives identical bits.

    Raises ValueError unless `side` is a power of two, KeyError for unknown stages.
    """
    if side < 1 or side & (side - 1):
        raise ValueError("the side of a square is a power of two")
    fmap.check(stage)
    one, finest = fmap.of_head(batch, head), min(side, KEYS)
    level, row_parts = _empty(one, finest), []
    # Last rows first, as a causal mask gives them the most keys.
    pieces = pieces_of(len(one.q))[::-1]
    # k is an argument, so that a remote executor sends it once.
    calls = ((one.q[rows], one.k, one.without_arrays(rows), stage, finest) for rows in pieces)
    # Local workers copy each part into `level` while it is in the cache.
    task = partial(_placed_piece_of, level) if executor is None else piece_of
    for piece, (part, rows) in zip(
        pieces, thread_pool.map_in_order(task, calls, executor), strict=True
    ):
        if executor is not None:
            _place(part, level, piece.start // finest)
        row_parts.append(rows)
        if tick is not None:
            tick(len(row_parts), len(pieces))
    level, rows = level.coarser(side // finest, side // finest), _rows(row_parts[::-1])
    if rows is not None:
        fmap.remember(batch, head, rows.sums)
    return Overview(side, level, float(level.least.min()), float(level.most.max()), rows)


def pieces_of(n: int) -> list[slice]:
    """Rows of each piece; independent of the number of workers."""
    size = QUERIES * -(-n // (QUERIES * PIECES))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def piece_of(
    q: Float[np.ndarray, "rows d_k"],
    k: Float[np.ndarray, "key d_k"],
    bare: OneHead,
    stage: str,
    side: int,
) -> Part:
    one, n = replace(bare, q=q, k=k), len(q)
    strips = [slice(start, min(start + QUERIES, n)) for start in range(0, n, QUERIES)]
    with np.errstate(over="ignore", invalid="ignore"):
        if stage == "weights":
            return _joined([_weights(one, strip, side) for strip in strips])
        return _joined([(_scores(one, strip, stage, side), None) for strip in strips])


def _scores(one: OneHead, strip: slice, stage: str, side: int) -> Level:
    squares = Squares(strip.stop - strip.start, one.shape[1], side, one.q.dtype)
    for block in blocks_of(one, strip, stage):
        squares.look(block)
        if block.closed is not None:
            np.copyto(block.cells, 0, where=block.closed)
        squares.add(block.cells)
    return squares.level()


def _weights(one: OneHead, strip: slice, side: int) -> tuple[Level, Rows]:
    count = strip.stop - strip.start
    reductions = (np.maximum, np.add) if side < GROUP else (np.maximum,)
    squares = Squares(count, one.shape[1], side, one.q.dtype, reductions)
    products, softmax = Products(one, strip, "weights"), OnlineSoftmax(one, strip)
    known = _NearScores(one, strip)

    def plain(kind: tuple[slice, BlockState]) -> bool:
        cols, state = kind
        whole: bool = state == "open" and cols.stop - cols.start == KEYS and side >= GROUP
        return whole and softmax.steady and not softmax.both_sides(cols)

    for are_plain, kinds in groupby(open_blocks(one, strip), plain):
        if are_plain:
            run = [cols for cols, _ in kinds]
            softmax.add_open_blocks(products, run, squares.reserve_maxima(run), known.look)
            continue
        for block in (products.block(*kind) for kind in kinds):
            groups = squares.look(block)
            known.look(block.cols, block.cells)
            taken = softmax.take(block, groups)
            if side < GROUP:
                squares.add(taken)
            softmax.spread(block, taken)
    if side >= GROUP:
        squares.add_groups(softmax.groups)
    sums = softmax.sums()
    share, *near = np.exp(np.stack([squares.largest(), *known.scores]) - sums.peak) / sums.divisor
    entropy, distance = softmax.entropy_and_distance(sums)
    rows = Rows(sums, entropy, share, distance, *near)
    return squares.weights(softmax.share(sums), sums), rows


class _NearScores:
    def __init__(self, one: OneHead, strip: slice) -> None:
        self._start, count = one.first + strip.start, strip.stop - strip.start
        self.scores = np.full((3, count), -np.inf, one.q.dtype)

    def look(self, cols: slice, cells: Float[np.ndarray, "key query"]) -> None:
        if cols.start == 0:
            self.scores[0] = cells[0]
        if cols.stop < self._start or cols.start >= self._start + self.scores.shape[1]:
            return
        for column, back in ((self.scores[1], 1), (self.scores[2], 0)):
            first = max(cols.start, self._start - back)
            keys = np.arange(first, min(cols.stop, self._start - back + len(column)))
            queries = keys + back - self._start
            column[queries] = cells[keys - cols.start, queries]


def _empty(one: OneHead, side: int) -> Level:
    rows, cols = one.shape
    sizes, number = (-(-rows // side), -(-cols // side)), one.q.dtype
    return Level(*(memory.empty(sizes, dtype) for dtype in (number, number, number, np.int32)))


def _placed_piece_of(level: Level, *call: Any) -> Part:
    part, rows = piece_of(*call)
    _, _, bare, _, side = call
    _place(part, level, bare.first // side)
    return part, rows


def _place(part: Level, level: Level, first: int) -> None:
    for whole, a in zip(level, part, strict=True):
        whole[first : first + len(a)] = a


def _joined(parts: Sequence[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    levels, rows = zip(*parts, strict=True)
    return Level(*map(np.concatenate, zip(*levels, strict=True))), _rows(rows)


def _rows(parts: Sequence[Rows | None]) -> Rows | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    sums, *others = zip(*known, strict=True)
    whole = RowSums(*map(np.concatenate, zip(*sums, strict=True)))
    return Rows(whole, *map(np.concatenate, others))
