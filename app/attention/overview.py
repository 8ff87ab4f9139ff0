"""What one pass over the map of a head tells: a zoom level of it, and how each row attends.

    entropy = ln Σ e^(s − peak) − Σ (s − peak) w        distance = Σ w |i − j|

Squares of the map are summed up by columns first, while a block is in the cache, and by rows once
the strip is done and each row's total known: weights need no second q kᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from app.attention import lanes
from app.attention.level import Level
from app.attention.map import FactoredMap
from app.attention.one_head import OneHead
from app.attention.squares import Squares
from app.attention.stream import KEYS, QUERIES, Block, RowSums, Running, blocks_of

PIECES = 128  # at most so many are handed out, however many there are to do them

Tick = Callable[[int, int], object]


class Rows(NamedTuple):
    """How each row attends: what it sums up to, its entropy in nats, its largest weight and the key
    of that, the mean distance Σ w |i − j|, the weight on key 0, on i − 1 and on i. Rows that see
    nothing have zeros; a key that is not there weighs 0."""

    sums: RowSums
    entropy: Float[np.ndarray, " rows"]
    largest: Float[np.ndarray, " rows"]
    largest_key: Integer[np.ndarray, " rows"]
    distance: Float[np.ndarray, " rows"]
    first: Float[np.ndarray, " rows"]
    previous: Float[np.ndarray, " rows"]
    own: Float[np.ndarray, " rows"]


@dataclass(frozen=True)
class Overview:
    """`level` has a cell for each side × side cells of the map, `low` and `high` are the extremes
    of its open cells (∞ and −∞ where none is open), `rows` are told of weights alone. The smallest
    of weights is not looked for: where a cell is open, 0 stands for it."""

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
    """One pass over one of MAPS of a head; `side` is a power of two. tick(done, of) is called in
    this thread after each piece, and what it raises ends the pass. The same bits whatever the
    executor (None: the cores of this machine) and however many workers it has.

    ValueError: the side is no power of two. KeyError: the stage is no map.
    """
    if side < 1 or side & (side - 1):
        raise ValueError("the side of a square is a power of two")
    fmap.check(stage)
    one, finest = fmap.of_head(batch, head), min(side, KEYS)
    pieces, parts = pieces_of(fmap.shape[2]), []
    # q and k by themselves: an executor elsewhere may send one k to all, and once.
    calls = ((one.q[rows], one.k, one.bare(rows), stage, finest) for rows in pieces)
    for part in lanes.in_order(piece_of, calls, executor):
        parts.append(part)
        if tick is not None:
            tick(len(parts), len(pieces))
    level, rows = _joined(parts)
    level = level.coarser(side // finest, side // finest)
    if rows is not None:
        fmap.remember(batch, head, rows.sums)
    return Overview(side, level, float(level.least.min()), float(level.most.max()), rows)


def pieces_of(n: int) -> list[slice]:
    """The rows of each piece, whole strips: they depend on the number of rows alone."""
    size = QUERIES * -(-n // (QUERIES * PIECES))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def piece_of(
    q: Float[np.ndarray, "rows d_k"],
    k: Float[np.ndarray, "key d_k"],
    bare: OneHead,
    stage: str,
    side: int,
) -> Part:
    """The part of a level that lies in the rows of one piece, and how these attend; of the head
    comes its q and k, and the rest `bare` of them."""
    one, n = replace(bare, q=q, k=k), len(q)
    strips = [slice(start, min(start + QUERIES, n)) for start in range(0, n, QUERIES)]
    with np.errstate(over="ignore", invalid="ignore"):  # a setting of each thread
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
    squares = Squares(count, one.shape[1], side, one.q.dtype, least=False)
    running = Running(one, strip)
    keys: dict[int, np.ndarray] = {}
    known = _Known(one, strip)
    for block in blocks_of(one, strip):
        groups = squares.look(block)
        if block.closed is not None:
            keys[block.cols.start] = block.cols.start + block.cells.argmax(axis=0)
        known.look(block)
        taken = running.take(block, groups)
        squares.add(taken)
        running.spread(block, taken)
    sums = running.sums()
    largest, key = _largest(one, strip, squares, keys)
    share, *near = np.exp(np.stack([largest, *known.scores]) - sums.peak) / sums.divisor
    entropy, distance = running.entropy_and_distance(sums)
    rows = Rows(sums, entropy, share, key, distance, *near)
    return squares.weights(running.share(sums), sums), rows


def _largest(
    one: OneHead, strip: slice, squares: Squares, keys: dict[int, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Of each row the largest masked score and its key. In some blocks `keys` are known; in those
    that are open all over, the keys of the group that has it are looked at once more."""
    largest, start = squares.largest()
    within = np.minimum(start[:, None] + np.arange(squares.side), one.shape[1] - 1)
    again = one.scaled_cells(strip, within).argmax(axis=1)
    key = within[np.arange(len(within)), again]
    for first, known in keys.items():
        np.copyto(key, known, where=start // KEYS == first // KEYS)
    return largest, key


class _Known:
    """Of each row of a strip the masked scores on key 0, on i − 1 and on i, as blocks pass by; −∞
    where there is no such key."""

    def __init__(self, one: OneHead, strip: slice) -> None:
        self._start, count = one.first + strip.start, strip.stop - strip.start
        self.scores = np.full((3, count), -np.inf, one.q.dtype)

    def look(self, block: Block) -> None:
        cells, cols = block.cells, block.cols
        if cols.start == 0:
            self.scores[0] = cells[0]
        if not self._start - 1 - KEYS < cols.start < self._start + self.scores.shape[1]:
            return
        for told, back in ((self.scores[1], 1), (self.scores[2], 0)):
            first = max(cols.start, self._start - back)
            keys = np.arange(first, min(cols.stop, self._start - back + len(told)))
            queries = keys + back - self._start
            told[queries] = cells[keys - cols.start, queries]


def _joined(parts: Sequence[Part]) -> Part:
    """What lies one below the other."""
    levels, rows = zip(*parts, strict=True)
    level = Level(*map(np.concatenate, zip(*levels, strict=True)))
    if rows[0] is None:
        return level, None
    sums, *others = zip(*rows, strict=True)
    whole = RowSums(*map(np.concatenate, zip(*sums, strict=True)))
    return level, Rows(whole, *map(np.concatenate, others))
