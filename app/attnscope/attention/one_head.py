"""The map of one head, factored into q and k."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnscope.attention.layer_context import LayerContext
from attnscope.attention.masks import BlockState, Mask
from attnscope.attention.scaling import Scaling


class Heads:
    def __init__(
        self,
        q: Float[np.ndarray, "batch head query d_k"],
        k: Float[np.ndarray, "batch kv_head key d_k"],
        setting: LayerContext,
        table: Float[np.ndarray, "bucket head"] | None = None,
        first: int = 0,
    ) -> None:
        self.q, self.k, self.setting, self._first = q, k, setting, first
        self._scaling = Scaling.of(setting, table)
        with np.errstate(over="ignore"):
            self._longest = np.sqrt(np.einsum("bhmd,bhmd->bhm", k, k).max(axis=-1))

    def of(self, batch: int, head: int) -> OneHead:
        group = head // (self.q.shape[1] // self.k.shape[1])
        return OneHead(
            self.q[batch, head], self.k[batch, group], self._scaling, self.setting.options.mask,
            self.setting.lengths[batch], batch, head, float(self._longest[batch, group]),
            self._first,
        )  # fmt: skip


@dataclass(frozen=True)
class OneHead:
    """Map of one head; can be pickled. `longest`: largest norm of a row of k. `first`: position of
    the first query."""

    q: Float[np.ndarray, "query d_k"]
    k: Float[np.ndarray, "key d_k"]
    scaling: Scaling
    mask: Mask
    lengths: tuple[int, int]
    batch: int
    head: int
    longest: float
    first: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.q), len(self.k)

    def without_arrays(self, rows: slice) -> OneHead:
        first = self.first + rows.start
        return replace(self, q=self.q[:0], k=self.k[:0], first=first)

    def reach(self, rows: slice) -> float:
        """Bound |scaled scores|. The bound is ∞ with position terms."""
        if self.scaling.has_positions:
            return math.inf
        longest = float(np.sqrt(np.square(self.q[rows]).sum(axis=1).max()))
        reach = longest * self.longest * abs(self.scaling.factor)
        reach = reach if math.isfinite(reach) else math.inf
        return reach if self.scaling.cap is None else min(reach, self.scaling.cap)

    def masked_at(
        self, rows: Integer[np.ndarray, " rows"], cols: Integer[np.ndarray, " cols"]
    ) -> Float[np.ndarray, "rows cols"]:
        places = self.first + rows
        scores = np.matmul(self.q[rows], self.k[cols].T)
        scaled = self.scaling.scale_cells(scores, self.head, cols - places[:, None])
        opened = self.mask.may_attend(places, cols, self.lengths, self.batch, self.head)
        return np.where(opened, scaled, -np.inf)

    def block_state(self, rows: slice, cols: slice) -> BlockState:
        return self.mask.block_state(self._places(rows), cols, self.lengths, self.batch, self.head)

    def open_cells(self, rows: slice, cols: slice) -> Bool[np.ndarray, "rows cols"]:
        queries = self._places(rows)
        return self.mask.may_attend(
            np.arange(queries.start, queries.stop), np.arange(cols.start, cols.stop),
            self.lengths, self.batch, self.head,
        )  # fmt: skip

    def closed_cells(self, rows: slice, cols: slice) -> Bool[np.ndarray, "cols rows"]:
        """Closed cells, read-only: blocks equally far from the diagonal share an array."""
        places = self._places(rows)
        queries = self.lengths[0] if self.mask.pads == "queries_and_keys" else places.stop
        padded = places.stop > queries or cols.stop > self.lengths[1]
        if padded or not self.mask.depends_on_distance:
            return _closed_transposed(self.open_cells(rows, cols))
        sizes = (places.stop - places.start, cols.stop - cols.start)
        return _closed(self.mask, sizes, cols.start - places.start)

    def _places(self, rows: slice) -> slice:
        return slice(self.first + rows.start, self.first + rows.stop)


@lru_cache(maxsize=16)
def _closed(mask: Mask, sizes: tuple[int, int], ahead: int) -> Bool[np.ndarray, "cols rows"]:
    """`ahead`: first key − first query."""
    rows, cols = (np.arange(size) for size in sizes)
    ahead, back = max(ahead, 0), max(-ahead, 0)
    everywhere = (sizes[0] + back, sizes[1] + ahead)
    return _closed_transposed(mask.may_attend(rows + back, cols + ahead, everywhere))


def _closed_transposed(opened: Bool[np.ndarray, "rows cols"]) -> Bool[np.ndarray, "cols rows"]:
    closed: np.ndarray = np.logical_not(opened.T, order="C")
    closed.setflags(write=False)
    return closed
