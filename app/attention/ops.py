"""Softmax, projections, norms and activations, on the last axis."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from app.attention import lanes, memory

BLOCK_ROWS = 256  # fewer: more calls than arithmetic; more: the block leaves the cache
PROJECT_ROWS = 512  # of one product with a large matrix
SPREAD = 1 << 22  # products; below, handing out work costs more than it saves
EPSILON = 1e-5  # keeps a row of equal numbers from a division by zero


def softmax(
    scores: Float[np.ndarray, "*axes key"], out: Float[np.ndarray, "*axes key"] | None = None
) -> Float[np.ndarray, "*axes key"]:
    """exp(s − max) / Σ exp(s − max) over the last axis; −∞ everywhere gives exact zeros.

    The row maximum is subtracted first, so that no exponential overflows
    (Blanchard, Higham & Higham 2021, "Accurately computing the log-sum-exp and softmax").
    """
    out = np.empty_like(scores) if out is None else out
    peak = scores.max(axis=-1, keepdims=True)
    np.copyto(peak, 0, where=np.isneginf(peak))  # a row that sees nothing: −∞ − 0, not −∞ − −∞
    np.subtract(scores, peak, out=out)
    np.exp(out, out=out)
    total = out.sum(axis=-1, keepdims=True)
    np.copyto(total, 1, where=total == 0)
    np.divide(out, total, out=out)
    return out


def project(
    x: Float[np.ndarray, "batch row d_in"],
    w: Float[np.ndarray, "d_in d_out"],
    b: Float[np.ndarray, " d_out"] | None,
) -> Float[np.ndarray, "batch row d_out"]:
    """x w + b, with row vectors; long inputs go over the cores in blocks of rows."""
    rows = x.reshape(-1, len(w))
    y = memory.empty((len(rows), w.shape[1]), x.dtype)

    def block(start: int) -> None:
        here = slice(start, start + PROJECT_ROWS)
        np.matmul(rows[here], w, out=y[here])
        if b is not None:
            y[here] += b

    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        lanes.run(block, range(0, len(rows), PROJECT_ROWS), spread=rows.size * len(y.T) >= SPREAD)
    return y.reshape(*x.shape[:-1], w.shape[1])


def layer_norm(
    x: Float[np.ndarray, "*axes d"],
    gain: Float[np.ndarray, " d"] | None = None,
    bias: Float[np.ndarray, " d"] | None = None,
) -> Float[np.ndarray, "*axes d"]:
    """(x − mean) / √(variance + 10⁻⁵) of each row, times gain, plus bias; None: gain 1, bias 0.

    The variance divides by d (Ba, Kiros & Hinton 2016, "Layer normalization").
    """
    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        normed: np.ndarray = centred / np.sqrt(variance + EPSILON)
        normed = normed if gain is None else normed * gain
        return normed if bias is None else normed + bias


def gelu(x: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).

    The form with tanh of Hendrycks & Gimpel 2016, "Gaussian error linear units", as in GPT-2.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # counted in checks.non_finite
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        activated: np.ndarray = 0.5 * x * (1 + np.tanh(inner))
        return activated
