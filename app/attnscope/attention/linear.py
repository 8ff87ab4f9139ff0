"""Linear attention: φ(q) · φ(k) replaces the exponential, so no map is needed.

    φ(a) = elu(a) + 1
    weights_ij = φ(q_i) · φ(k_j) / Σ_j φ(q_i) · φ(k_j)      over the open keys of i
    head_outputs_i = φ(q_i) S / (φ(q_i) · z),   S = Σ_j φ(k_j)ᵀ v_j,   z = Σ_j φ(k_j)

Katharopoulos et al. 2020; scores are not scaled.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float


def feature(a: Float[np.ndarray, "*axes d"]) -> Float[np.ndarray, "*axes d"]:
    return np.where(a > 0, a + 1, np.exp(np.minimum(a, 0)))


def linear_weights(
    q: Float[np.ndarray, "query d_k"],
    k: Float[np.ndarray, "key d_k"],
    allowed: Bool[np.ndarray, "query key"],
) -> Float[np.ndarray, "query key"]:
    """The map that linear attention implies; closed cells are exactly 0."""
    products = np.where(allowed, feature(q) @ feature(k).T, 0)
    sums = products.sum(axis=-1, keepdims=True)
    return products / np.where(sums == 0, 1, sums)


def linear_outputs(
    q: Float[np.ndarray, "query d_k"],
    k: Float[np.ndarray, "key d_k"],
    v: Float[np.ndarray, "key d_v"],
    *,
    causal: bool,
) -> Float[np.ndarray, "query d_v"]:
    """With `causal`, S and z grow row by row."""
    features, keys = feature(q), feature(k)
    if not causal:
        outputs: np.ndarray = features @ (keys.T @ v) / (features @ keys.sum(axis=0))[:, None]
        return outputs
    state, norm = np.zeros((k.shape[1], v.shape[1]), v.dtype), np.zeros(k.shape[1], k.dtype)
    rows = np.empty((len(q), v.shape[1]), v.dtype)
    for i, (asked, key) in enumerate(zip(features, keys, strict=True)):
        state += np.outer(key, v[i])
        norm += key
        rows[i] = asked @ state / (asked @ norm)
    return rows
