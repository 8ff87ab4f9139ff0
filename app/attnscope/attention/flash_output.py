"""Head outputs by online softmax (Dao et al. 2022, "FlashAttention")."""

from __future__ import annotations

from itertools import product

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.flash_pass import QUERIES, RowSums, blocks_of
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.one_head import Heads, OneHead
from attnscope.attention.online_softmax import OnlineSoftmax


def flash_heads(
    q: Float[np.ndarray, "batch head query d_k"],
    k: Float[np.ndarray, "batch kv_head key d_k"],
    v: Float[np.ndarray, "batch kv_head key d_v"],
    setting: LayerContext,
    first: int = 0,
    table: Float[np.ndarray, "bucket head"] | None = None,
) -> tuple[dict[str, np.ndarray], Float[np.ndarray, "batch head query d_v"]]:
    """`row_peaks`, `row_totals` (see RowSums), `row_sums` of weights [B, h, n]; head outputs."""
    heads, (batch, count, n, _) = Heads(q, k, setting, table, first), q.shape
    ones = np.ones((*v.shape[:3], 1), v.dtype)
    summed = np.concatenate([v, ones], axis=-1)
    head_outputs = memory.empty((batch, count, n, v.shape[3]), q.dtype)
    kinds = {"row_sums": q.dtype, "row_peaks": q.dtype, "row_totals": np.dtype(np.float64)}
    sums_by_name = {name: np.empty((batch, count, n), dtype) for name, dtype in kinds.items()}

    def strip(b: int, h: int, rows: slice) -> None:
        at = b, h, rows
        sums, outputs = _strip(heads.of(b, h), rows, summed[b, h // (count // k.shape[1])])
        head_outputs[at], sums_by_name["row_sums"][at] = outputs[:, :-1], outputs[:, -1]
        sums_by_name["row_peaks"][at], sums_by_name["row_totals"][at] = sums

    strips = [slice(start, min(start + QUERIES, n)) for start in range(0, n, QUERIES)]
    for _ in thread_pool.map_in_order(strip, product(range(batch), range(count), strips)):
        if setting.between is not None:
            setting.between()
    return sums_by_name, head_outputs


def _strip(
    one: OneHead, rows: slice, v: Float[np.ndarray, "key d"]
) -> tuple[RowSums, Float[np.ndarray, "rows d"]]:
    softmax = OnlineSoftmax(one, rows)
    outputs = np.zeros((rows.stop - rows.start, v.shape[1]), one.q.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks_of(one, rows):
            taken, shrink = softmax.take(block), softmax.shrink
            if shrink is not None:
                outputs *= shrink[:, None]
            outputs += taken.T @ v[block.cols]
        sums = softmax.sums()
        outputs /= sums.divisor.astype(outputs.dtype)[:, None]
    return sums, outputs
