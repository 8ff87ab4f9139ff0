"""Tiles, thumbnails and their addresses. At z = 0 one tile shows the map; each further z halves
the sides of squares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, UInt8

from attnscope import cancellation
from attnscope.analysis.left_out_keys import without_keys
from attnscope.attention.level import reduce_squares
from attnscope.attention.masks import Mask
from attnscope.errors import Unknown
from attnscope.trace.stage_map import Extent, Picture, Squares
from attnscope.trace.trace import Trace

Spacing = Literal["even", "root", "log"]
STEPS = 254  # 255 is for closed cells
CLOSED = 255
FINEST = 1e-6  # share of the extent up to which logarithmic spacing is nearly linear


def eight_bits(
    picture: Picture, extent: Extent, spacing: Spacing = "even"
) -> UInt8[np.ndarray, "rows cols"]:
    """Scale the extent to 0 … 254; closed cells and NaN become 255."""
    values, low, high = picture.values.astype(np.float64), extent.low, extent.high
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isinf(high - low):
            values, low, high = values / 2, low / 2, high / 2
        part = np.clip((values - low) / ((high - low) or np.inf), 0, 1)
        if spacing == "root":
            part = np.sqrt(part)
        elif spacing == "log":
            part = np.log1p(part / FINEST) / np.log1p(1 / FINEST)
        steps = np.rint(STEPS * part)
    return np.where(picture.closed | np.isnan(steps), CLOSED, steps).astype(np.uint8)


TILE = 256


class Address(NamedTuple):
    z: int
    row: int
    col: int


def count_levels(n: int, m: int) -> int:
    return 1 + max(0, math.ceil(math.log2(max(n, m) / TILE)))


def squares_of(shape: tuple[int, ...], at: Address) -> Squares:
    """Squares of a tile. Raises Unknown."""
    n, m = shape[-2:]
    levels = count_levels(n, m)
    if at.z >= levels:
        raise Unknown("no_level", at="z", z=at.z, last=levels - 1)
    side = 1 << (levels - 1 - at.z)
    reach = TILE * side
    if at.row * reach >= n or at.col * reach >= m:
        last = {"last_row": (n - 1) // reach, "last_col": (m - 1) // reach}
        raise Unknown("no_tile", at="row", z=at.z, row=at.row, col=at.col, **last)
    rows = slice(at.row * reach, min((at.row + 1) * reach, n))
    cols = slice(at.col * reach, min((at.col + 1) * reach, m))
    return Squares(rows, cols, (side, side))


def squares_within(shape: tuple[int, ...], size: int) -> Squares:
    """At most size × size squares that cover a map."""
    rows, cols = shape[-2:]
    sides = (side_within(rows, size), side_within(cols, size))
    return Squares(slice(0, rows), slice(0, cols), sides)


def side_within(count: int, size: int) -> int:
    """Smallest power of two that cuts `count` into `size` pieces or fewer."""
    return 1 << max(0, math.ceil(math.log2(count / size)))


class Thumbnails(NamedTuple):
    """Maxima of squares. `extent`: from 0 to the largest weight of all layers and heads."""

    bits: UInt8[np.ndarray, "layer head rows cols"]
    extent: Extent


def thumbnails(layers: Sequence[Picture], spacing: Spacing = "even") -> Thumbnails:
    seen = (one.values[~one.closed & np.isfinite(one.values)] for one in layers)
    largest = max(float(values.max(initial=0)) for values in seen)
    extent = Extent(0.0, largest)
    rows, cols = (max(one.values.shape[axis] for one in layers) for axis in (1, 2))
    bits = np.full((len(layers), len(layers[0].values), rows, cols), CLOSED, np.uint8)
    for layer, one in enumerate(layers):
        _, height, width = one.values.shape
        bits[layer, :, :height, :width] = eight_bits(one, extent, spacing)
    return Thumbnails(bits, extent)


def pictures_of_heads(
    trace: Trace, batch: int, size: int, skip: tuple[int, ...] = ()
) -> list[Picture]:
    """Maxima of the weights: one picture [head, rows, cols] per layer."""
    layers = range(len(trace.layers))
    if trace.plan.long:
        return [_by_head(trace, layer, batch, size) for layer in layers]
    closed = _Closed(trace, batch, skip)
    return [_layer(trace, layer, batch, size, closed) for layer in layers]


def _by_head(trace: Trace, layer: int, batch: int, size: int) -> Picture:
    squares = squares_within(trace.plan.shape_of("weights", layer), size)
    heads = range(trace.plan.model.shape.num_heads)
    pictures = [trace.reduce("weights", layer, head, squares, "max", batch) for head in heads]
    return Picture(*(np.stack(each) for each in zip(*pictures, strict=True)))


def _layer(trace: Trace, layer: int, batch: int, size: int, closed: _Closed) -> Picture:
    """Maxima may include closed cells, as their weights are 0."""
    cancellation.check()
    weights = trace.layers[layer]["weights"][batch]
    if closed.skip:
        weights = without_keys(weights, closed.skip)
    rows, cols = (side_within(count, size) for count in weights.shape[1:])
    values = reduce_squares(np.maximum, weights, rows, cols)
    return Picture(values.astype(np.float32), closed.at(layer, rows, cols, values.shape))


class _Closed:
    """Squares without open cells, computed once for each mask."""

    def __init__(self, trace: Trace, batch: int, skip: tuple[int, ...] = ()) -> None:
        self.trace, self.batch, self.skip = trace, batch, skip
        self._known: dict[tuple[int, ...], tuple[Mask, Bool[np.ndarray, "head rows cols"]]] = {}

    def at(
        self, layer: int, rows: int, cols: int, shape: tuple[int, ...]
    ) -> Bool[np.ndarray, "head rows cols"]:
        setting, words = self.trace.plan.setting.at(layer), self.trace.plan
        mask, lengths = setting.options.mask, setting.lengths[self.batch]
        key = (id(mask), *lengths, rows, cols, *shape)
        if key not in self._known:
            queries, keys = np.arange(words.words_of(layer).n), np.arange(words.keys(layer))
            heads = range(shape[0] if mask.differs_by_head else 1)
            cells = np.stack(
                [mask.may_attend(queries, keys, lengths, self.batch, head) for head in heads]
            )
            cells = cells & ~np.isin(keys, self.skip)
            closed = ~reduce_squares(np.logical_or, cells, rows, cols)
            # While the mask is stored, no other mask has its id.
            self._known[key] = mask, np.broadcast_to(closed, shape)
        return self._known[key][1]
