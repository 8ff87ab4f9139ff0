"""Softmax and its kin, on the last axis."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


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
    x: Float[np.ndarray, "*rows d_in"],
    w: Float[np.ndarray, "d_in d_out"],
    b: Float[np.ndarray, " d_out"] | None,
) -> Float[np.ndarray, "*rows d_out"]:
    """x w + b, with row vectors."""
    y: np.ndarray = x @ w
    return y if b is None else y + b
