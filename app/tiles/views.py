"""What was looked at lately of the stages of a trace, and is not made again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from app.storage.cache import Cache
from app.tiles.picture import Extent, Picture, Reduce, Spacing, eight_bits
from app.tiles.pyramid import Squares
from app.tiles.stage_map import At, StageMap, picture_at
from app.tiles.thumbnails import Thumbnails, thumbnails
from app.trace.trace import Trace

EXTENT_BYTES = 200  # of two numbers with their name


@dataclass(frozen=True)
class Views:
    """Pictures and extents of the stages of a trace, out of the memory that traces are kept in."""

    trace: Trace
    cache: Cache

    def extent(self, at: At) -> Extent:
        """Of a whole stage."""
        key = f"{self.trace.plan.id} {at}"
        found = self.cache.get(Extent, key)
        if found is None:
            found = StageMap(self.trace, at).extent()
            self.cache.put(key, found, EXTENT_BYTES)
        return found

    def picture(self, at: At, squares: Squares, reduce: Reduce) -> Picture:
        """Of some squares of it."""
        key = f"{self.trace.plan.id} {at} {squares} {reduce}"
        found = self.cache.get(Picture, key)
        if found is None:
            found = picture_at(StageMap(self.trace, at), squares, reduce)
            self.cache.put(key, found, found.bytes)
        return found

    def small(self, batch: int, size: int, spacing: Spacing) -> Thumbnails:
        """Of every head."""
        key = f"{self.trace.plan.id} {batch} {size} {spacing}"
        found = self.cache.get(Thumbnails, key)
        if found is None:
            found = thumbnails(self.trace, batch, size, spacing)
            self.cache.put(key, found, found.bits.nbytes)
        return found

    def bits(
        self, at: At, squares: Squares, reduce: Reduce, spacing: Spacing = "even"
    ) -> tuple[UInt8[np.ndarray, "rows cols"], Extent]:
        """The same in eight bits of the extent of the whole stage."""
        extent = self.extent(at)
        return eight_bits(self.picture(at, squares, reduce), extent, spacing), extent
