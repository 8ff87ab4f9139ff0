from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.learn.arithmetic import signed
from attnscope.learn.chapters.asking import WORDS
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body

QUERY = (2.0, 1.0)
KEYS = {"a": (1.0, 0.5), "b": (4.0, -1.0), "c": (2.0, 0.3)}  # each measure prefers another key
SEEDS = 20


def linear() -> Body:
    first, second = np.array([1.0, 2, 0]), np.array([0.0, -1, 1])
    return {
        "x": [row.tolist() for row in (first, second, first + second, 2 * first)],
        "tokens": ["a", "b", "a + b", "2a"], "causal": False, "scale": "none",
        "model": {"source": "explicit", "w_q": [[1, 0], [0, 1], [1, 1]],
                  "w_k": [[0, 1], [1, 0], [0, 0]], "w_v": [[1, 0], [0, 1], [0, 0]]},
    }  # fmt: skip


def measured(q: np.ndarray, k: np.ndarray) -> dict[str, np.ndarray]:
    """Dot products, cosines and Euclidean distances, each [n, m]."""
    dot = q @ k.T
    lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)
    apart = np.linalg.norm(q[:, None] - k[None], axis=2)
    return {"dot": dot, "cosine": dot / lengths, "distance": apart}


def measure_rows() -> list[list[str]]:
    found = measured(np.array([QUERY]), np.array(list(KEYS.values())))
    return [
        [f"{name} = ({', '.join(map(signed, key))})",
         *(f"{found[way][0, at]:.2f}" for way in ("dot", "cosine", "distance"))]
        for at, (name, key) in enumerate(KEYS.items())
    ]  # fmt: skip


@cache
def agreeing() -> Mapping[str, str]:
    """Number of rows, over many seeds, in which the measures choose the same key."""
    same = {"cosine": 0, "distance": 0}
    rows = 0
    for seed in range(SEEDS):
        model = {"source": "seeded", "seed": seed, "num_heads": 4}
        body = {"tokens": list(WORDS), "causal": False, "model": model}
        for q, k in zip(stage(body, "q"), stage(body, "k"), strict=True):
            found = measured(q, k)
            best = found["dot"].argmax(axis=1)
            same["cosine"] += int((found["cosine"].argmax(axis=1) == best).sum())
            same["distance"] += int((found["distance"].argmin(axis=1) == best).sum())
            rows += len(q)
    return {"rows": str(rows), "query": f"({', '.join(map(signed, QUERY))})",
            **{way: str(count) for way, count in same.items()}}  # fmt: skip
