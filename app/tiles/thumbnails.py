"""The weights of every head of every layer as one small picture each."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, UInt8

from app.tiles.gallery import Gallery
from app.tiles.picture import CLOSED, Extent, Picture, eight_bits
from app.tiles.pyramid import side_within, squares_within
from app.tiles.stage_map import At
from app.trace import stopping
from app.trace.trace import Trace


class Thumbnails(NamedTuple):
    """[layer, head, row, column] in eight bits of one extent, of the largest weight in each square.
    Layers of fewer rows or columns than others end in closed cells."""

    bits: UInt8[np.ndarray, "layer head rows cols"]
    extent: Extent


def thumbnails(gallery: Gallery, trace: Trace, batch: int, size: int) -> Thumbnails:
    """Of at most size × size cells for each head; of a long text by a pass over each."""
    made = partial(_long_layer, gallery) if trace.plan.long else _layer
    layers = [made(trace, layer, batch, size) for layer in range(len(trace.layers))]
    largest = max(float(one.values.max(initial=0, where=~one.closed)) for one in layers)
    extent = Extent(0.0, largest)
    rows, cols = (max(one.values.shape[axis] for one in layers) for axis in (1, 2))
    heads = trace.plan.model.shape.num_heads
    bits = np.full((len(layers), heads, rows, cols), CLOSED, np.uint8)
    for layer, one in enumerate(layers):
        _, height, width = one.values.shape
        bits[layer, :, :height, :width] = eight_bits(one, extent)
    return Thumbnails(bits, extent)


def _layer(trace: Trace, layer: int, batch: int, size: int) -> Picture:
    """Of all heads of a layer at once; closed cells weigh nothing, so the largest is an open one's,
    where there is one."""
    stopping.check()
    weights = trace.layers[layer]["weights"][batch]
    sides = [side_within(count, size) for count in weights.shape[1:]]
    values = _pooled(np.maximum, weights, sides)
    return Picture(values.astype(np.float32), ~_open(trace, layer, batch, sides, values.shape))


def _long_layer(gallery: Gallery, trace: Trace, layer: int, batch: int, size: int) -> Picture:
    squares = squares_within(trace.plan.shape_of("weights", layer), size)
    heads = range(trace.plan.model.shape.num_heads)
    places = (At("weights", layer, head, batch) for head in heads)
    pictures = [gallery.picture(trace, at, squares, "max") for at in places]
    return Picture(*(np.stack(arrays) for arrays in zip(*pictures, strict=True)))


def _open(
    trace: Trace, layer: int, batch: int, sides: list[int], shape: tuple[int, ...]
) -> Bool[np.ndarray, "head rows cols"]:
    """Which squares have an open cell: in every head the same ones, unless masks differ."""
    setting, words = trace.plan.setting.at(layer), trace.plan
    queries, keys = np.arange(words.words_of(layer).n), np.arange(words.keys(layer))
    mask, lengths = setting.options.mask, setting.lengths[batch]
    heads = range(shape[0] if mask.differs_by_head else 1)
    cells = np.stack([mask.may_attend(queries, keys, lengths, batch, head) for head in heads])
    return np.broadcast_to(_pooled(np.logical_or, cells, sides), shape)


def _pooled(
    reduce: np.ufunc, a: Float[np.ndarray, "head n m"] | Bool[np.ndarray, "head n m"],
    sides: list[int],
) -> np.ndarray:  # fmt: skip
    for axis, side in enumerate(sides, start=1):
        if side > 1:
            a = reduce.reduceat(a, np.arange(0, a.shape[axis], side), axis=axis)
    return a
