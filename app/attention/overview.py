"""What one pass over the map of a head tells: a zoom level of it, and how each row attends.

    entropy = ln Σ e^(s − peak) − Σ (s − peak) w        distance = Σ w |i − j|

Squares of the map are summed up by columns first, while a block is in the cache, and by rows once
the strip is done and each row's total known: weights need no second q kᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from app.attention import lanes, memory
from app.attention.level import Level
from app.attention.map import FactoredMap
from app.attention.masks import Whole
from app.attention.one_head import OneHead
from app.attention.running import GROUP, Running
from app.attention.squares import Squares
from app.attention.stream import KEYS, QUERIES, Products, RowSums, blocks_of, kinds_of

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
    level, told = _empty(one, finest), []
    # The last see the most, causally: with these first, all cores end together.
    pieces = pieces_of(len(one.q))[::-1]
    # q and k by themselves: an executor elsewhere may send one k to all, and once.
    calls = ((one.q[rows], one.k, one.bare(rows), stage, finest) for rows in pieces)
    # Here who made a part puts it in its place, while it is in the cache of the core.
    task = partial(_placed_piece_of, level) if executor is None else piece_of
    for piece, (part, rows) in zip(pieces, lanes.in_order(task, calls, executor), strict=True):
        if executor is not None:
            _place(part, level, piece.start // finest)
        told.append(rows)
        if tick is not None:
            tick(len(told), len(pieces))
    level, rows = level.coarser(side // finest, side // finest), _rows(told[::-1])
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
    told = (np.maximum, np.add) if side < GROUP else (np.maximum,)
    squares = Squares(count, one.shape[1], side, one.q.dtype, told)
    products, running, known = (
        Products(one, strip, "weights"),
        Running(one, strip),
        _Known(one, strip),
    )
    shut: dict[int, np.ndarray] = {}

    def plain(kind: tuple[slice, Whole]) -> bool:
        cols, state = kind
        whole: bool = state == "open" and cols.stop - cols.start == KEYS and side >= GROUP
        return whole and running.steady and not running.both_sides(cols)

    for are_plain, kinds in groupby(kinds_of(one, strip), plain):
        if are_plain:
            run = [cols for cols, _ in kinds]
            running.take_open(products, run, squares.most_of(run), known.look)
            continue
        for block in (products.block(*kind) for kind in kinds):
            groups = squares.look(block)
            if block.closed is not None:
                shut[block.cols.start] = block.closed
            known.look(block.cols, block.cells)
            taken = running.take(block, groups)
            if side < GROUP:
                squares.add(taken)
            running.spread(block, taken)
    if side >= GROUP:
        squares.add_groups(running.groups)
    sums = running.sums()
    largest, key = _largest(one, strip, squares, shut)
    share, *near = np.exp(np.stack([largest, *known.scores]) - sums.peak) / sums.divisor
    entropy, distance = running.entropy_and_distance(sums)
    rows = Rows(sums, entropy, share, key, distance, *near)
    return squares.weights(running.share(sums), sums), rows


def _largest(
    one: OneHead, strip: slice, squares: Squares, shut: dict[int, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Of each row the largest masked score and its key: the keys of the group that has it are
    looked at once more, but those that are closed. `shut` tells of these by the first key of a
    block; in other blocks none is."""
    largest, start = squares.largest()
    within = np.minimum(start[:, None] + np.arange(squares.side), one.shape[1] - 1)
    cells = one.scaled_cells(strip, within)
    for first, closed in shut.items():
        rows = np.flatnonzero(start // KEYS == first // KEYS)
        cells[rows] = np.where(closed[within[rows] - first, rows[:, None]], -np.inf, cells[rows])
    return largest, within[np.arange(len(within)), cells.argmax(axis=1)]


class _Known:
    """Of each row of a strip the masked scores on key 0, on i − 1 and on i, as blocks pass by; −∞
    where there is no such key."""

    def __init__(self, one: OneHead, strip: slice) -> None:
        self._start, count = one.first + strip.start, strip.stop - strip.start
        self.scores = np.full((3, count), -np.inf, one.q.dtype)

    def look(self, cols: slice, cells: Float[np.ndarray, "key query"]) -> None:
        """Takes them from a block, where it has them."""
        if cols.start == 0:
            self.scores[0] = cells[0]
        if cols.stop < self._start or cols.start >= self._start + self.scores.shape[1]:
            return
        for told, back in ((self.scores[1], 1), (self.scores[2], 0)):
            first = max(cols.start, self._start - back)
            keys = np.arange(first, min(cols.stop, self._start - back + len(told)))
            queries = keys + back - self._start
            told[queries] = cells[keys - cols.start, queries]


def _empty(one: OneHead, side: int) -> Level:
    """A level of a whole map, with a cell for each square."""
    rows, cols = one.shape
    sizes, number = (-(-rows // side), -(-cols // side)), one.q.dtype
    return Level(*(memory.empty(sizes, dtype) for dtype in (number, number, number, np.int32)))


def _placed_piece_of(level: Level, *call: Any) -> Part:
    """piece_of(*call), its part of the level in its place: a map begins at the first query."""
    part, rows = piece_of(*call)
    _, _, bare, _, side = call
    _place(part, level, bare.first // side)
    return part, rows


def _place(part: Level, level: Level, first: int) -> None:
    """Puts the rows of a part into the level, from a row on."""
    for whole, a in zip(level, part, strict=True):
        whole[first : first + len(a)] = a


def _joined(parts: Sequence[Part]) -> Part:
    """What lies one below the other."""
    if len(parts) == 1:
        return parts[0]
    levels, rows = zip(*parts, strict=True)
    return Level(*map(np.concatenate, zip(*levels, strict=True))), _rows(rows)


def _rows(parts: Sequence[Rows | None]) -> Rows | None:
    """The same of rows alone; None where nobody told of them."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    sums, *others = zip(*known, strict=True)
    whole = RowSums(*map(np.concatenate, zip(*sums, strict=True)))
    return Rows(whole, *map(np.concatenate, others))
