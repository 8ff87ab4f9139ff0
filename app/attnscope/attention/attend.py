"""Scaled dot-product attention with many heads, stage by stage.

    q = x w_q + b_q        scores        = q kᵀ
    k = c w_k + b_k        scaled_scores = scores × scale / temperature (− slope × |i − j|, capped)
    v = c w_v + b_v        masked_scores = scaled_scores where open, −∞ elsewhere
                           weights       = softmax(masked_scores)
                           head_outputs  = weights v
    output = concat w_o + b_o, where concat is the heads side by side; dropped heads are 0

In self-attention c is x. Optional: norms of q and k; rotary, ALiBi and relative positions
(`positions.py`); then a soft cap. Vaswani et al. 2017, section 3.2; grouped heads: Ainslie et al.
2023.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory
from attnscope.attention.architecture import Parameters
from attnscope.attention.dtypes import round_to_grid
from attnscope.attention.flash_output import flash_heads
from attnscope.attention.layer_context import MAPS as MAPS
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.ops import NORMS
from attnscope.attention.positions import rotate
from attnscope.attention.products import project, project_each
from attnscope.attention.scaling import Scaling
from attnscope.attention.strips import Strip, over_strips

Keep = Callable[[str, np.ndarray], None]

WHOLE_ROWS = 8192  # most keys whose strips of weights fit in the cache


@dataclass(frozen=True)
class Past:
    """KV cache of `rows` earlier rows; in cross-attention, of the whole context."""

    k: Float[np.ndarray, "batch kv_head past d_k"]
    v: Float[np.ndarray, "batch kv_head past d_v"]
    rows: int


def split_heads(
    a: Float[np.ndarray, "batch row width"], heads: int
) -> Float[np.ndarray, "batch head row d"]:
    batch, rows, width = a.shape
    apart = memory.empty((batch, heads, rows, width // heads), a.dtype)
    np.copyto(apart, a.reshape(batch, rows, heads, width // heads).transpose(0, 2, 1, 3))
    return apart


def merge_heads(
    a: Float[np.ndarray, "batch head row d"],
) -> Float[np.ndarray, "batch row width"]:
    batch, heads, rows, d = a.shape
    side_by_side = memory.empty((batch, rows, heads, d), a.dtype)
    np.copyto(side_by_side, a.transpose(0, 2, 1, 3))
    return side_by_side.reshape(batch, rows, heads * d)


def zero_heads(
    a: Float[np.ndarray, "batch head row d"], dropped: list[int]
) -> Float[np.ndarray, "batch head row d"]:
    if not dropped:
        return a
    kept = a.copy()
    kept[:, dropped] = 0
    return kept


def attend(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: LayerContext,
    keep: Keep,
    past: Past | None = None,
) -> Float[np.ndarray, "batch query out"]:
    """Compute attention. Call keep(name, array) for every stage.

    With `past`, x holds only the later rows; in self-attention the keys of `past` come first in k,
    v and maps.
    """
    first = 0 if past is None else past.rows
    q, k, v = queries_keys_values(x, p, setting, keep, past)
    maps, head_outputs = attend_heads(q, k, v, setting, first, setting.maps, table_of(p, setting))
    concat = merge_heads(zero_heads(head_outputs, setting.dropped))
    output = concat if p.w_o is None else project(concat, p.w_o, p.b_o, setting.options.grid)
    stages = {"q": q, "k": k, "v": v, **maps, "head_outputs": head_outputs}
    for name, array in {**stages, "concat": concat, "output": output}.items():
        keep(name, array)
    return output


def queries_keys_values(
    x: Float[np.ndarray, "batch query d_model"],
    p: Parameters,
    setting: LayerContext,
    keep: Keep,
    past: Past | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q [B, h, n, d_k], k [B, h_kv, m, d_k], v [B, h_kv, m, d_v]; k and v begin with the past."""
    grid, model, context = setting.options.grid, setting.architecture, setting.context
    first = 0 if past is None else past.rows
    if context is None:
        q, k, v = project_heads("qkv", x, p, setting)
    else:
        (q,) = project_heads("q", x, p, setting)
        k, v = project_heads("kv", context, p, setting) if past is None else (past.k, past.v)
    q = normed_heads("q", q, p, setting, keep)
    if context is None or past is None:  # cached keys of a context are normed already
        k = normed_heads("k", k, p, setting, keep)
    if model.positions == "rotary":
        keep("unrotated_q", q)
        keep("unrotated_k", k)
        at = setting.places(first, x.shape[1])
        q = rotate(q, model.rotary, places=at, grid=grid)
        # Positions of context keys start at 0.
        k = rotate(k, model.rotary, places=at if context is None else None, grid=grid)
    if past is not None and context is None:
        k, v = np.concatenate([past.k, k], axis=2), np.concatenate([past.v, v], axis=2)
    return q, k, v


def project_heads(
    letters: str, x: Float[np.ndarray, "batch row d_model"], p: Parameters, setting: LayerContext
) -> list[Float[np.ndarray, "batch _ row _"]]:
    shape = setting.shape
    heads = {"q": shape.num_heads, "k": shape.num_kv_heads, "v": shape.num_kv_heads}
    tensors = [(getattr(p, f"w_{letter}"), getattr(p, f"b_{letter}")) for letter in letters]
    projected = project_each(x, tensors, setting.options.grid)
    return [split_heads(y, heads[letter]) for letter, y in zip(letters, projected, strict=True)]


def normed_heads(
    name: str,
    a: Float[np.ndarray, "batch head row d_k"],
    p: Parameters,
    setting: LayerContext,
    keep: Keep,
) -> Float[np.ndarray, "batch head row d_k"]:
    gain, bias = getattr(p, f"{name}_norm_gain"), getattr(p, f"{name}_norm_bias")
    if gain is None:
        return a
    keep(f"unnormed_{name}", a)
    model = setting.architecture
    return NORMS[model.norm](a, gain, bias, setting.options.grid, model.epsilon)


def attend_heads(
    q: Float[np.ndarray, "batch head query d_k"],
    k: Float[np.ndarray, "batch kv_head key d_k"],
    v: Float[np.ndarray, "batch kv_head key d_v"] | None,
    setting: LayerContext,
    first: int = 0,
    wanted: Sequence[str] = MAPS,
    table: Float[np.ndarray, "bucket head"] | None = None,
) -> tuple[dict[str, np.ndarray], Float[np.ndarray, "batch head query d_v"]]:
    """The `wanted` maps [B, h, n, m] by name, and head outputs (empty without v).

    `first`: position of the first query among the keys. `table`: relative biases. Maps that are not
    wanted exist one strip at a time. If none is wanted, also return `row_sums` [B, h, n] of the
    weights; above WHOLE_ROWS keys, sums of `flash_heads` (not without v, nor in half precision).
    """
    if not wanted and v is not None and k.shape[2] > WHOLE_ROWS and setting.options.grid is None:
        return flash_heads(q, k, v, setting, first, table)
    sizes = (*q.shape[:3], k.shape[2])
    maps, whole = {name: memory.empty(sizes, q.dtype) for name in wanted}, set(wanted) == set(MAPS)
    if not wanted:
        maps["row_sums"] = np.empty(sizes[:3], q.dtype)
    head_outputs = memory.empty((*q.shape[:3], 0 if v is None else v.shape[3]), q.dtype)
    options, grid = setting.options, setting.options.grid
    scaling = Scaling.of(setting, table)

    def attend_rows(strip: Strip) -> None:
        rows, kv_heads, seen = strip.here, strip.kv_heads, strip.seen.keys
        spare = np.empty((*q[rows].shape[:2], 0 if whole else sizes[3]), q.dtype)
        scores, scaled, masked, weights = (
            maps[name][rows] if name in maps else spare for name in MAPS
        )
        round_to_grid(np.matmul(q[rows], k[kv_heads].mT, out=scores), grid)
        scaling.scale_heads(scores, strip.heads, first + rows[2].start, out=scaled)
        strip.mask(scaled, out=masked)
        strip.softmax(masked, out=weights, grid=grid)
        if "row_sums" in maps:
            weights.sum(axis=-1, out=maps["row_sums"][rows])
        if v is not None:
            round_to_grid(
                np.matmul(weights[..., seen], v[kv_heads][:, seen], out=head_outputs[rows]), grid
            )

    over_strips(attend_rows, sizes, k.shape[1], setting.lengths, options.mask, first)
    return maps, head_outputs


def table_of(p: Parameters, setting: LayerContext) -> Float[np.ndarray, "bucket head"] | None:
    return p.relative_bias if setting.architecture.positions == "relative" else None
