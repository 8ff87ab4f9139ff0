"""Derivatives of operations. Each `…_back` takes g_y, the derivative with respect to the result y,
and returns the derivatives with respect to the operands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from attnscope.attention.architecture import EPSILON, Activation, NormKind
from attnscope.attention.ops import erf


def softmax_jacobian(weights: Float[np.ndarray, " key"]) -> Float[np.ndarray, "key key"]:
    """∂aᵢ/∂sⱼ = aᵢ (δᵢⱼ − aⱼ) for one row a of weights."""
    return np.diag(weights) - np.outer(weights, weights)


def softmax_back(
    g_weights: Float[np.ndarray, "*axes key"],
    weights: Float[np.ndarray, "*axes key"],
    out: Float[np.ndarray, "*axes key"] | None = None,
) -> Float[np.ndarray, "*axes key"]:
    """g_s = a (g_a − Σ g_a a); exactly 0 where a weight is 0."""
    mean = np.einsum("...k,...k->...", g_weights, weights)[..., None]
    g_scores: np.ndarray = np.subtract(g_weights, mean, out=out)
    g_scores *= weights
    g_scores += 0.0  # turns −0 into 0
    return g_scores


def project_back(
    g_y: Float[np.ndarray, "batch row d_out"],
    x: Float[np.ndarray, "batch row d_in"],
    w: Float[np.ndarray, "d_in d_out"],
) -> tuple[
    Float[np.ndarray, "batch row d_in"],
    Float[np.ndarray, "d_in d_out"],
    Float[np.ndarray, " d_out"],
]:
    """For y = x w + b: g_x = g_y wᵀ, g_w = xᵀ g_y and g_b = Σ g_y over all rows."""
    g_x = g_y @ w.T
    g_w = x.reshape(-1, x.shape[-1]).T @ g_y.reshape(-1, g_y.shape[-1])
    g_b = g_y.sum(axis=(0, 1))
    return g_x, g_w, g_b


def layer_norm_back(
    g_y: Float[np.ndarray, "*axes d"],
    x: Float[np.ndarray, "*axes d"],
    gain: Float[np.ndarray, " d"] | None,
    epsilon: float = EPSILON,
) -> tuple[Float[np.ndarray, "*axes d"], Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """For y = z gain + bias, z = (x − mean) / σ, σ = √(variance + ε):
    g_x = (g_z − mean(g_z) − z mean(g_z z)) / σ; over all rows, g_gain = Σ g_y z, g_bias = Σ g_y."""
    centred = x - x.mean(axis=-1, keepdims=True)
    sigma = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + epsilon)
    z = centred / sigma
    g_z = g_y if gain is None else g_y * gain
    along = (g_z * z).mean(axis=-1, keepdims=True)
    g_x = (g_z - g_z.mean(axis=-1, keepdims=True) - z * along) / sigma
    rows = tuple(range(x.ndim - 1))
    return g_x, (g_y * z).sum(axis=rows), g_y.sum(axis=rows)


def rms_norm_back(
    g_y: Float[np.ndarray, "*axes d"],
    x: Float[np.ndarray, "*axes d"],
    gain: Float[np.ndarray, " d"] | None,
    epsilon: float = EPSILON,
) -> tuple[Float[np.ndarray, "*axes d"], Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """For y = z gain + bias, z = x / r, r = √(mean x² + ε): g_x = (g_z − z mean(g_z z)) / r; g_gain
    and g_bias as in `layer_norm_back`."""
    r = np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + epsilon)
    z = x / r
    g_z = g_y if gain is None else g_y * gain
    g_x = (g_z - z * (g_z * z).mean(axis=-1, keepdims=True)) / r
    rows = tuple(range(x.ndim - 1))
    return g_x, (g_y * z).sum(axis=rows), g_y.sum(axis=rows)


NORMS_BACK: dict[NormKind, Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]] = {
    "layer": layer_norm_back,
    "rms": rms_norm_back,
}


def capped_back(
    g_y: Float[np.ndarray, "*axes"], y: Float[np.ndarray, "*axes"], cap: float
) -> Float[np.ndarray, "*axes"]:
    """For y = cap tanh(x / cap): g_x = g_y (1 − (y / cap)²)."""
    g_x: np.ndarray = g_y * (1 - np.square(y / cap))
    return g_x


def gelu_tanh_back(
    g_y: Float[np.ndarray, "*axes"], x: Float[np.ndarray, "*axes"]
) -> Float[np.ndarray, "*axes"]:
    """For y = ½ x (1 + t), t = tanh(√(2/π) (x + 0.044715 x³)):
    g_x = g_y ½ (1 + t + x (1 − t²) √(2/π) (1 + 3 · 0.044715 x²))."""
    root = math.sqrt(2 / math.pi)
    t = np.tanh(root * (x + 0.044715 * (x * x * x)))
    slope = root * (1 + 3 * 0.044715 * (x * x))
    g_x: np.ndarray = g_y * (0.5 * (1 + t + x * (1 - t * t) * slope))
    return g_x


def gelu_back(
    g_y: Float[np.ndarray, "*axes"], x: Float[np.ndarray, "*axes"]
) -> Float[np.ndarray, "*axes"]:
    """For y = ½ x (1 + erf(x / √2)): g_x = g_y (½ (1 + erf(x / √2)) + x e^(−x²/2) / √(2π))."""
    density = np.exp(-0.5 * np.square(x)) / math.sqrt(2 * math.pi)
    g_x: np.ndarray = g_y * (0.5 * (1 + erf(x / math.sqrt(2))) + x * density)
    return g_x


def relu_back(
    g_y: Float[np.ndarray, "*axes"], x: Float[np.ndarray, "*axes"]
) -> Float[np.ndarray, "*axes"]:
    """For y = max(x, 0): g_x = g_y where x > 0, else 0."""
    return np.where(x > 0, g_y, 0)


def silu_back(
    g_y: Float[np.ndarray, "*axes"], x: Float[np.ndarray, "*axes"]
) -> Float[np.ndarray, "*axes"]:
    """For y = x s, s = 1 / (1 + e^(−x)): g_x = g_y s (1 + x (1 − s))."""
    with np.errstate(over="ignore"):
        s = 1 / (1 + np.exp(-x))
    g_x: np.ndarray = g_y * (s * (1 + x * (1 - s)))
    return g_x


ACTIVATIONS_BACK: dict[Activation, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "gelu_tanh": gelu_tanh_back,
    "gelu": gelu_back,
    "relu": relu_back,
    "silu": silu_back,
}
