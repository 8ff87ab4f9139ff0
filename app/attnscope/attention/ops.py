"""Softmax, norms and activations, on the last axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory, thread_pool
from attnscope.attention.architecture import EPSILON, Activation, NormKind
from attnscope.attention.dtypes import Grid, round_to_grid

BLOCK_ROWS = 256
CHUNK = 1 << 15  # numbers that fit in the cache with all intermediates
FEW = 1 << 18  # numbers; fewer are faster on one core


def softmax(
    scores: Float[np.ndarray, "*axes key"],
    out: Float[np.ndarray, "*axes key"] | None = None,
    grid: Grid | None = None,
) -> Float[np.ndarray, "*axes key"]:
    """exp(s − max) / Σ exp(s − max), without overflow (Blanchard, Higham & Higham 2021). A row of
    −∞ gives zeros."""
    out = np.empty_like(scores) if out is None else out
    peak = scores.max(axis=-1, keepdims=True)
    np.copyto(peak, 0, where=np.isneginf(peak))  # −∞ − −∞ is NaN
    round_to_grid(np.subtract(scores, peak, out=out), grid)
    round_to_grid(np.exp(out, out=out), grid)
    total = round_to_grid(out.sum(axis=-1, keepdims=True), grid)
    np.copyto(total, 1, where=total == 0)
    round_to_grid(np.divide(out, total, out=out), grid)
    return out


def fill_in_chunks(
    f: Callable[..., np.ndarray],
    *operands: Float[np.ndarray, "row d"],
    out: Float[np.ndarray, "row d"],
) -> None:
    """Apply f to chunks that stay in the cache."""
    rows = max(1, CHUNK // out.shape[1])
    for start in range(0, len(out), rows):
        here = slice(start, start + rows)
        out[here] = f(*(one[here] for one in operands))


def map_rows(
    f: Callable[[np.ndarray], np.ndarray], x: Float[np.ndarray, "*axes d"]
) -> Float[np.ndarray, "*axes d"]:
    if x.size <= FEW:
        return f(x)
    rows = x.reshape(-1, x.shape[-1])
    y = memory.empty(rows.shape, x.dtype)
    step = math.ceil(len(rows) / math.ceil(x.size / CHUNK))

    def chunk(start: int) -> None:
        y[start : start + step] = f(rows[start : start + step])

    thread_pool.for_each(chunk, range(0, len(rows), step), spread=True)
    return y.reshape(x.shape)


def add(
    x: Float[np.ndarray, "*axes"], y: Float[np.ndarray, "*axes"], grid: Grid | None = None
) -> Float[np.ndarray, "*axes"]:
    return round_to_grid(np.add(x, y, out=memory.empty(x.shape, x.dtype)), grid)


def layer_norm(
    x: Float[np.ndarray, "*axes d"],
    gain: Float[np.ndarray, " d"] | None = None,
    bias: Float[np.ndarray, " d"] | None = None,
    grid: Grid | None = None,
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "*axes d"]:
    """(x − mean) / √(variance + ε) · gain + bias; the variance divides by d (Ba, Kiros & Hinton
    2016)."""
    d = x.shape[-1]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = round_to_grid(np.add.reduce(x, axis=-1, keepdims=True) / d, grid)
        normed = round_to_grid(np.subtract(x, mean, out=memory.empty(x.shape, x.dtype)), grid)
        square = round_to_grid(np.square(normed, out=memory.empty(x.shape, x.dtype)), grid)
        variance = round_to_grid(np.add.reduce(square, axis=-1, keepdims=True) / d, grid)
        root = round_to_grid(np.sqrt(round_to_grid(variance + epsilon, grid)), grid)
        round_to_grid(np.divide(normed, root, out=normed), grid)
        return _with_gain(normed, gain, bias, grid)


def _with_gain(
    normed: np.ndarray, gain: np.ndarray | None, bias: np.ndarray | None, grid: Grid | None
) -> np.ndarray:
    if gain is not None:
        round_to_grid(np.multiply(normed, gain, out=normed), grid)
    if bias is not None:
        round_to_grid(np.add(normed, bias, out=normed), grid)
    return normed


def rms_norm(
    x: Float[np.ndarray, "*axes d"],
    gain: Float[np.ndarray, " d"] | None = None,
    bias: Float[np.ndarray, " d"] | None = None,
    grid: Grid | None = None,
    epsilon: float = EPSILON,
) -> Float[np.ndarray, "*axes d"]:
    """x / √(mean of x² + ε) · gain + bias (Zhang & Sennrich 2019)."""
    with np.errstate(over="ignore", invalid="ignore"):
        square = round_to_grid(np.square(x, out=memory.empty(x.shape, x.dtype)), grid)
        mean = round_to_grid(np.add.reduce(square, axis=-1, keepdims=True) / x.shape[-1], grid)
        root = round_to_grid(np.sqrt(round_to_grid(mean + epsilon, grid)), grid)
        return _with_gain(round_to_grid(np.divide(x, root, out=square), grid), gain, bias, grid)


NORMS: dict[NormKind, Callable[..., np.ndarray]] = {"layer": layer_norm, "rms": rms_norm}


class Norm(NamedTuple):
    gain: np.ndarray
    bias: np.ndarray | None
    epsilon: float


def gelu_tanh(
    x: Float[np.ndarray, "*axes"], grid: Grid | None = None
) -> Float[np.ndarray, "*axes"]:
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), as in GPT-2 (Hendrycks & Gimpel 2016)."""
    with np.errstate(over="ignore", invalid="ignore"):
        inner = round_to_grid(x * x, grid)  # then in place: new arrays would double the time
        round_to_grid(np.multiply(inner, x, out=inner), grid)
        round_to_grid(np.multiply(inner, 0.044715, out=inner), grid)
        round_to_grid(np.add(inner, x, out=inner), grid)
        round_to_grid(np.multiply(inner, math.sqrt(2 / math.pi), out=inner), grid)
        gate = round_to_grid(
            np.add(round_to_grid(np.tanh(inner, out=inner), grid), 1, out=inner), grid
        )
        return round_to_grid(np.multiply(round_to_grid(0.5 * x, grid), gate, out=gate), grid)


def gelu(x: Float[np.ndarray, "*axes"], grid: Grid | None = None) -> Float[np.ndarray, "*axes"]:
    """½ x (1 + erf(x / √2)), exact, as in BERT (Hendrycks & Gimpel 2016)."""
    gate = round_to_grid(1 + round_to_grid(erf(x / math.sqrt(2)), grid), grid)
    return round_to_grid(round_to_grid(0.5 * x, grid) * gate, grid)


def erf(x: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    return np.frompyfunc(math.erf, 1, 1)(x).astype(x.dtype)  # type: ignore[no-any-return]


def relu(x: Float[np.ndarray, "*axes"], grid: Grid | None = None) -> Float[np.ndarray, "*axes"]:
    positive: np.ndarray = np.maximum(x, 0)
    return positive


def silu(x: Float[np.ndarray, "*axes"], grid: Grid | None = None) -> Float[np.ndarray, "*axes"]:
    """x / (1 + e^(−x)) (Hendrycks & Gimpel 2016)."""
    with np.errstate(over="ignore"):  # e^(−x) = ∞ gives −0
        power = round_to_grid(1 + round_to_grid(np.exp(-x), grid), grid)
        return round_to_grid(x / power, grid)


def capped(
    x: Float[np.ndarray, "*axes"], cap: float, grid: Grid | None = None
) -> Float[np.ndarray, "*axes"]:
    """cap · tanh(x / cap) (Gemma Team 2024, "Gemma 2", section 2)."""
    return round_to_grid(cap * round_to_grid(np.tanh(round_to_grid(x / cap, grid)), grid), grid)


ACTIVATIONS: dict[Activation, Callable[[np.ndarray, Grid | None], np.ndarray]] = {
    "gelu_tanh": gelu_tanh,
    "gelu": gelu,
    "relu": relu,
    "silu": silu,
}
