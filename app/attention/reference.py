"""The same stages the slow and obvious way, in float64: what the checks compare with.

Every sum is written out over its indices and added up one product after the other (einsum
without its optimiser is plain nested loops: no BLAS, no blocks, no threads), and the softmax
is taken a row at a time with Python's own exponential.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from app.attention.attend import Options
from app.attention.parameters import Parameters, Shape


def attend_slowly(
    x: Float[np.ndarray, "batch query d_model"],
    context: Float[np.ndarray, "batch key d_model"],
    p: Parameters,
    shape: Shape,
    lengths: list[tuple[int, int]],
    options: Options,
) -> dict[str, np.ndarray]:
    """Every stage from q to output, by name."""
    x, context, p = x.astype(float), context.astype(float), p.astype(np.float64)
    q = _heads(_affine(x, p.w_q, p.b_q), shape.num_heads)
    k = _heads(_affine(context, p.w_k, p.b_k), shape.num_kv_heads)
    v = _heads(_affine(context, p.w_v, p.b_v), shape.num_kv_heads)
    k_each, v_each = (np.repeat(a, shape.queries_per_kv_head, axis=1) for a in (k, v))
    scores = np.einsum("bhic,bhjc->bhij", q, k_each)
    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        scaled = scores * options.scale / options.temperature
    masked = _masked(scaled, lengths, options)
    weights = np.array([[[_softmax(row) for row in head] for head in b] for b in masked.tolist()])
    head_outputs = np.einsum("bhij,bhjc->bhic", weights, v_each)
    concat = np.concatenate(list(head_outputs.swapaxes(0, 1)), axis=-1)
    output = concat if p.w_o is None else _affine(concat, p.w_o, p.b_o)
    return {
        **{"q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled},
        **{"masked_scores": masked, "weights": weights, "head_outputs": head_outputs},
        **{"concat": concat, "output": output},
    }


def _affine(x: np.ndarray, w: np.ndarray, b: np.ndarray | None) -> np.ndarray:
    y: np.ndarray = np.einsum("bic,cd->bid", x, w)
    return y if b is None else y + b


def _heads(a: np.ndarray, heads: int) -> np.ndarray:
    return np.stack(np.split(a, heads, axis=-1), axis=1)


def _masked(scaled: np.ndarray, lengths: list[tuple[int, int]], options: Options) -> np.ndarray:
    masked = scaled.copy()
    for b in range(len(masked)):
        for i in range(masked.shape[2]):
            for j in range(masked.shape[3]):
                if options.mask.closed_by(i, j, lengths[b]):
                    masked[b, :, i, j] = -math.inf
    return masked


def _softmax(row: list[float]) -> list[float]:
    peak = max(row)
    if peak == -math.inf:
        return [0.0] * len(row)
    exps = [math.exp(score - peak) for score in row]
    total = math.fsum(exps)
    return [e / total for e in exps]
