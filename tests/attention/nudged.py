"""A question in plain numpy (docs/mathematics.md), for finite differences.

`touch(layer, name, array)` may replace any stage.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from attnscope.trace.trace import Trace
from tests.attention import plain
from tests.questions import Body

Arrays = dict[str, np.ndarray]
Touch = Callable[[int, str, np.ndarray], np.ndarray]


def run_again(body: Body, trace: Trace, touch: Touch) -> Arrays:
    """Stages of the last layer."""
    y, last = trace.layers[0]["x"], {}
    for i, parameters in enumerate(trace.parameters):
        kept: Arrays = {}

        def at(name: str, array: np.ndarray, i: int = i, kept: Arrays = kept) -> np.ndarray:
            kept[name] = touch(i, name, array)
            return kept[name]

        p = {name: at(name, array) for name, array in parameters.arrays().items()}
        x = at("x", y)
        read = {}
        if trace.context is not None:
            read = {"context": at("context", trace.layers[0]["context"])}
        dropped = [head for layer, head in body.get("drop", []) if layer == i]
        inside: dict[str, Any] = {**p, "dropped": dropped}
        y = at("block_output", _block(body, trace, x, read, inside, at))
        last = kept
    return last


def _block(
    body: Body, trace: Trace, x: np.ndarray, read: Arrays, p: Arrays,
    at: Callable[[str, np.ndarray], np.ndarray],
) -> np.ndarray:  # fmt: skip
    def attention(z: np.ndarray) -> np.ndarray:
        return _attention(body, trace, z, read.get("context", z), p, at)

    def mlp(z: np.ndarray) -> np.ndarray:
        hidden = at("hidden", z @ p["w_in"] + p.get("b_in", 0))
        activated = at("activated", np.vectorize(plain.gelu)(hidden))
        return at("mlp_output", activated @ p["w_out"] + p.get("b_out", 0))

    block = trace.plan.model.block
    y = _around(block, attention, x, p, "norm")
    return _around(block, mlp, at("middle", y), p, "mlp_norm") if "w_in" in p else y


def _around(
    block: str, f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, p: Arrays, norm: str
) -> np.ndarray:
    def normed(z: np.ndarray) -> np.ndarray:
        sigma = np.sqrt(z.var(axis=-1, keepdims=True) + 1e-5)
        return (z - z.mean(axis=-1, keepdims=True)) / sigma * p[f"{norm}_gain"] + p[f"{norm}_bias"]

    kinds = {
        "attention": lambda: f(x),
        "residual": lambda: x + f(x),
        "pre_norm": lambda: x + f(normed(x)),
        "post_norm": lambda: normed(x + f(x)),
        "sublayer_norm": lambda: x + normed(f(x)),
    }
    return kinds[block]()


def _attention(
    body: Body, trace: Trace, x: np.ndarray, asked: np.ndarray, p: Arrays,
    at: Callable[[str, np.ndarray], np.ndarray],
) -> np.ndarray:  # fmt: skip
    shape, positions = trace.plan.model.shape, trace.plan.model.positions
    group, d_k = shape.num_heads // shape.num_kv_heads, shape.d_k
    q = _heads(x @ p["w_q"] + p.get("b_q", 0), shape.num_heads)
    k, v = (_heads(asked @ p[f"w_{n}"] + p.get(f"b_{n}", 0), shape.num_kv_heads) for n in "kv")
    if positions == "rotary":
        q, k = (np.array([[plain.rotated(h) for h in b] for b in a.tolist()]) for a in (q, k))
    q, k, v = at("q", q), at("k", k), at("v", v)
    scores = at("scores", np.einsum("bhic,bhjc->bhij", q, np.repeat(k, group, axis=1)))
    scale = {"sqrt_d_k": 1 / math.sqrt(d_k), "none": 1.0}.get(body["scale"], body["scale"])
    scaled = scores * scale / body["temperature"]
    if positions == "alibi":
        n, m = scaled.shape[2:]
        apart = np.abs(np.arange(n)[:, None] - np.arange(m))
        scaled -= np.array(plain.slopes(shape.num_heads))[:, None, None] * apart
    scaled = at("scaled_scores", scaled)
    # Nudges leave −∞ as it is.
    masked = at("masked_scores", np.where(_open(body, trace)[:, None], scaled, -np.inf))
    rows = masked.reshape(-1, masked.shape[-1]).tolist()
    weights = at("weights", np.array([plain.softmax(row) for row in rows]).reshape(masked.shape))
    each = np.einsum("bhij,bhjc->bhic", weights, np.repeat(v, group, axis=1))
    head_outputs = at("head_outputs", each)
    stays = np.array([h not in p["dropped"] for h in range(shape.num_heads)])
    kept = np.where(stays[:, None, None], head_outputs, 0)  # 0 times an overflow would be NaN
    concat = at("concat", np.concatenate(list(kept.swapaxes(0, 1)), axis=-1))
    return at("output", concat @ p["w_o"] + p.get("b_o", 0) if "w_o" in p else concat)


def _heads(a: np.ndarray, heads: int) -> np.ndarray:
    return np.stack(np.split(a, heads, axis=-1), axis=1)


def _open(body: Body, trace: Trace) -> np.ndarray:
    queries, keys = range(trace.plan.n), range(trace.plan.m)
    return np.array(
        [
            [[plain.is_open(body, i, j, *lengths) for j in keys] for i in queries]
            for lengths in trace.plan.lengths()
        ]
    )
