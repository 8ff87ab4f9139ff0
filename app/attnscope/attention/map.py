"""Maps stored as q, k and row sums, with blocks computed on access: memory is linear in n.

scores = q kᵀ        weights = exp(masked score − peak) / total, row by row
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import numpy as np
from jaxtyping import Float

from attnscope.attention.attend import MAPS
from attnscope.attention.flash_pass import QUERIES, RowSums, compute_cells, strips_of
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.one_head import Heads, OneHead
from attnscope.attention.online_softmax import row_sums, weigh

KEPT_STRIPS = 8192  # 6 KB each in float32


class FactoredMap:
    """Raises ValueError for half precision, whose softmax rounds whole rows."""

    def __init__(
        self,
        q: Float[np.ndarray, "batch head query d_k"],
        k: Float[np.ndarray, "batch kv_head key d_k"],
        setting: LayerContext,
        table: Float[np.ndarray, "bucket head"] | None = None,
        *,
        kept_strips: int = KEPT_STRIPS,
    ) -> None:
        if setting.options.grid is not None:
            raise ValueError("maps of half precision are made whole")
        self._heads = Heads(q, k, setting, table)
        self.shape: tuple[int, int, int, int] = (*q.shape[:3], k.shape[2])
        self._between, self._kept_strips = setting.between, kept_strips
        self._sums: OrderedDict[tuple[int, int, int], RowSums] = OrderedDict()
        self._lock = Lock()

    def check(self, stage: str) -> None:
        if stage not in MAPS:
            raise KeyError(stage)

    def of_head(self, batch: int, head: int) -> OneHead:
        return self._heads.of(batch, head)

    def block(
        self, stage: str, batch: int, head: int, rows: slice, cols: slice
    ) -> Float[np.ndarray, "rows cols"]:
        """Raises KeyError unless `stage` is in MAPS."""
        self.check(stage)
        one = self.of_head(batch, head)
        with np.errstate(over="ignore", invalid="ignore"):
            if stage != "weights":
                return compute_cells(one, stage, rows, cols)
            masked = compute_cells(one, "masked_scores", rows, cols)
            return weigh(masked, self.row_sums(batch, head, rows))

    def row_sums(self, batch: int, head: int, rows: slice) -> RowSums:
        strips = [self._strip(batch, head, strip) for strip in strips_of(rows)]
        first = rows.start // QUERIES * QUERIES
        whole = RowSums(*map(np.concatenate, zip(*strips, strict=True)))
        return whole.cut(slice(rows.start - first, rows.stop - first))

    def remember(self, batch: int, head: int, sums: RowSums) -> None:
        for strip in strips_of(slice(0, self.shape[2])):
            self._keep((batch, head, strip.start), sums.cut(strip))

    def _strip(self, batch: int, head: int, strip: slice) -> RowSums:
        key = (batch, head, strip.start)
        with self._lock:
            if key in self._sums:
                self._sums.move_to_end(key)
                return self._sums[key]
        if self._between is not None:
            self._between()
        one = self.of_head(batch, head)
        sums = row_sums(one, slice(strip.start, min(strip.stop, one.shape[0])))
        self._keep(key, sums)
        return sums

    def _keep(self, key: tuple[int, int, int], sums: RowSums) -> None:
        with self._lock:
            self._sums[key] = sums
            while len(self._sums) > self._kept_strips:
                self._sums.popitem(last=False)
