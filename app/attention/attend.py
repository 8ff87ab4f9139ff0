"""Scaled dot-product attention with many heads, stage by stage.

    q = x w_q + b_q        scores        = q kᵀ
    k = c w_k + b_k        scaled_scores = scores × scale / temperature (− slope × |i − j|)
    v = c w_v + b_v        masked_scores = scaled_scores where open, −∞ elsewhere
                           weights       = softmax(masked_scores)
                           head_outputs  = weights v
    output = concat w_o + b_o, where concat is the heads side by side

c is x itself in self-attention. Rotary positions turn q and k before their product; ALiBi takes
each head's slope times the distance off the scaled scores (`positions.py`).
Vaswani et al. 2017, "Attention is all you need", section 3.2; grouped heads: Ainslie et al. 2023,
"GQA".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
from jaxtyping import Bool, Float

from app.attention import lanes, memory
from app.attention.masks import Mask
from app.attention.ops import BLOCK_ROWS, project, softmax
from app.attention.parameters import Parameters, Shape
from app.attention.positions import Positions, alibi_slopes, distances, rotate
from app.attention.precision import Grid, fit

Keep = Callable[[str, np.ndarray], None]

SPREAD_CELLS = 1 << 17  # below this many cells, handing out work costs more than it saves


@dataclass(frozen=True)
class Past:
    """The keys and values of earlier rows, which need not be made again: a KV cache."""

    k: Float[np.ndarray, "batch kv_head past d_k"]
    v: Float[np.ndarray, "batch kv_head past d_v"]

    @property
    def rows(self) -> int:
        rows: int = self.k.shape[2]
        return rows


@dataclass(frozen=True)
class Options:
    """What a question says about attention itself; `scale` multiplies the scores, and of the
    `positions`, rotary and alibi act in here; `grid` is what half precision rounds to."""

    scale: float
    temperature: float = 1.0
    mask: Mask = field(default_factory=Mask)
    positions: Positions = "none"
    grid: Grid | None = None


def split_heads(
    a: Float[np.ndarray, "batch row width"], heads: int
) -> Float[np.ndarray, "batch head row d"]:
    """[B, n, h·d] → [B, h, n, d]."""
    batch, rows, width = a.shape
    apart = memory.empty((batch, heads, rows, width // heads), a.dtype)
    np.copyto(apart, a.reshape(batch, rows, heads, width // heads).transpose(0, 2, 1, 3))
    return apart


def merge_heads(
    a: Float[np.ndarray, "batch head row d"],
) -> Float[np.ndarray, "batch row width"]:
    """[B, h, n, d] → [B, n, h·d]: the heads side by side."""
    batch, heads, rows, d = a.shape
    return a.transpose(0, 2, 1, 3).reshape(batch, rows, heads * d)


def attend(
    x: Float[np.ndarray, "batch query d_model"],
    context: Float[np.ndarray, "batch key d_model"],
    p: Parameters,
    shape: Shape,
    lengths: list[tuple[int, int]],
    options: Options,
    keep: Keep,
    past: Past | None = None,
) -> Float[np.ndarray, "batch query out"]:
    """The output of one layer; every stage on the way is handed to keep(name, array).

    `lengths` holds the real queries and keys of each batch row: what is behind them is padding.
    With a past, x and the context are the rows after it; k, v and the maps have its keys first.
    """
    grid = options.grid
    q = split_heads(project(x, p.w_q, p.b_q, grid), shape.num_heads)
    k = split_heads(project(context, p.w_k, p.b_k, grid), shape.num_kv_heads)
    v = split_heads(project(context, p.w_v, p.b_v, grid), shape.num_kv_heads)
    first = 0 if past is None else past.rows
    if options.positions == "rotary":
        keep("unrotated_q", q)
        keep("unrotated_k", k)
        q, k = (rotate(a, first=first, grid=grid) for a in (q, k))
    if past is not None:
        k, v = np.concatenate([past.k, k], axis=2), np.concatenate([past.v, v], axis=2)
    maps, head_outputs = attend_heads(q, k, v, lengths, options, first)
    concat = merge_heads(head_outputs)
    output = concat if p.w_o is None else project(concat, p.w_o, p.b_o, grid)
    stages = {"q": q, "k": k, "v": v, **maps, "head_outputs": head_outputs}
    for name, array in {**stages, "concat": concat, "output": output}.items():
        keep(name, array)
    return output


def attend_heads(
    q: Float[np.ndarray, "batch head query d_k"],
    k: Float[np.ndarray, "batch kv_head key d_k"],
    v: Float[np.ndarray, "batch kv_head key d_v"],
    lengths: list[tuple[int, int]],
    options: Options,
    first: int = 0,
) -> tuple[dict[str, np.ndarray], Float[np.ndarray, "batch head query d_v"]]:
    """The four maps [B, h, n, m] by name, and the head outputs; `first` is where the first query
    stands among the keys."""
    (batch, heads, n, _), (m, d_v) = q.shape, v.shape[2:]
    group = heads // k.shape[1]
    names = ("scores", "scaled_scores", "masked_scores", "weights")
    maps = {name: memory.empty((batch, heads, n, m), q.dtype) for name in names}
    head_outputs = memory.empty((batch, heads, n, d_v), q.dtype)
    factor, grid = options.scale / options.temperature, options.grid
    slopes = alibi_slopes(heads).tolist() if options.positions == "alibi" else None

    @cache  # every head of a batch row has the same mask
    def seen_and_closed(b: int, start: int) -> tuple[slice, slice, np.ndarray]:
        rows = first + np.arange(start, min(start + BLOCK_ROWS, n))
        allowed = options.mask.may_attend(rows, np.arange(m), lengths[b])
        seen = _span(allowed)
        partly = _span(~allowed[:, seen], seen.start)  # closed to some of the rows
        return seen, partly, ~allowed[:, partly]

    def block(item: tuple[int, int, int]) -> None:
        b, h, start = item
        here, kv = slice(start, start + BLOCK_ROWS), h // group
        seen, partly, closed = seen_and_closed(b, start)
        scores, scaled, masked, weights = (maps[name][b, h, here] for name in names)
        with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
            fit(np.matmul(q[b, h, here], k[b, kv].T, out=scores), grid)
            fit(np.multiply(scores, factor, out=scaled), grid)
            if slopes is not None:
                rows = first + np.arange(start, start + len(scores))
                bias = (slopes[h] * distances(rows, np.arange(m))).astype(scaled.dtype)
                fit(np.subtract(scaled, fit(bias, grid), out=scaled), grid)
            np.copyto(masked[:, seen], scaled[:, seen])
            np.copyto(masked[:, partly], -np.inf, where=closed)
            softmax(masked[:, seen], out=weights[:, seen], grid=grid)
            for stage, nothing in ((masked, -np.inf), (weights, 0)):
                stage[:, : seen.start] = nothing
                stage[:, seen.stop :] = nothing
            fit(np.matmul(weights[:, seen], v[b, kv, seen], out=head_outputs[b, h, here]), grid)

    blocks = list(product(range(batch), range(heads), range(0, n, BLOCK_ROWS)))
    lanes.run(block, blocks, spread=maps["scores"].size >= SPREAD_CELLS)
    return maps, head_outputs


def _span(cells: Bool[np.ndarray, "rows cols"], offset: int = 0) -> slice:
    """The columns between the first and the last that any row has a cell in.

    Of the keys that are seen: half the softmax of a causal map, and nearly all of a windowed one,
    need not be taken, for the weights outside are 0.
    """
    columns = (np.flatnonzero(cells.any(axis=0)) + offset).tolist()
    return slice(columns[0], columns[-1] + 1) if columns else slice(0, 1)
