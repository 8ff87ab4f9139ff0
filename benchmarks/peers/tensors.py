"""Tensors for all viewers."""

from __future__ import annotations

import numpy as np

WORDS = [
    "the", "cat", "sat", "on", "a", "mat", "and", "then", "it",
    "saw", "some", "other", "animal", "near", "by", "river", "stone",
]  # fmt: skip


def synthetic(layers: int, heads: int, n: int, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Weights [layers, heads, n, n] > 0, and n words.

    Softmax rows with a recency bump, a first-token sink and noise: no viewer can leave cells
    out.
    """
    rng = np.random.default_rng([seed, layers, heads, n])
    place = np.arange(n, dtype=np.float32)
    distance = np.abs(place[:, None] - place[None, :])
    weights = np.empty((layers, heads, n, n), np.float32)
    for layer in range(layers):
        for head in range(heads):
            scores = rng.standard_normal((n, n), dtype=np.float32) * 1.5
            scores -= distance * np.float32(rng.uniform(0.0, 8.0 / n))
            scores[:, 0] += np.float32(rng.uniform(0, 3))
            np.exp(scores - scores.max(-1, keepdims=True), out=scores)
            weights[layer, head] = scores / scores.sum(-1, keepdims=True)
    return weights, [WORDS[index] for index in rng.integers(0, len(WORDS), n)]
