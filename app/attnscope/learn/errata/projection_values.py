from __future__ import annotations

import numpy as np

from attnscope.analysis.gradients import Sum, gradients
from attnscope.attention.derivatives import softmax_jacobian
from attnscope.attention.ops import softmax
from attnscope.learn.arithmetic import decimal, largest_difference, shape
from attnscope.learn.chapters.scaling import norm_rows
from attnscope.learn.chapters.scores import linear
from attnscope.learn.chapters.variants import bias_rows
from attnscope.learn.echo import Echo
from attnscope.learn.errata.stage_values import WORDS, Found
from attnscope.learn.exercises import compute_trace, stage
from attnscope.weights.schemes import SCHEMES, stream


def own_direction() -> Found:
    trace = compute_trace({"text": WORDS})
    return {"row": str(trace.layers[0]["x"].shape[-1]), "w": shape(trace.parameters[0].w_q)}


def usual_width(echo: Echo) -> Found:
    own = compute_trace(echo.asked()).plan.model.shape
    return {"d_model": str(own.d_model), "heads": str(own.num_heads), "d_k": str(own.d_k)}


def conditions() -> Found:
    found = {}
    for name, scheme, size in (("small", "xavier_normal", 16), ("large", "xavier_normal", 512),
                               ("orthogonal", "orthogonal", 512)):  # fmt: skip
        drawn = SCHEMES[scheme](stream(0, 0, "w_q"), size, size)  # type: ignore[index]
        found[name] = f"{np.linalg.cond(drawn):,.0f}"
    return found


def first_turn() -> Found:
    w = SCHEMES["xavier_normal"](stream(0, 0, "w_q"), 64, 64)
    u, sigma, vt = np.linalg.svd(w)
    return {"sigma": decimal(float(sigma[0])),
            "u": decimal(float(np.linalg.norm(u[:, 0] @ w))),
            "v": decimal(float(np.linalg.norm(vt[0] @ w)))}  # fmt: skip


def additive() -> Found:
    scores, weights = (stage(linear(), name)[0] for name in ("scores", "weights"))
    return {"scores": largest_difference(scores[2], scores[0] + scores[1]),
            "weights": largest_difference(weights[2], weights[0] + weights[1])}  # fmt: skip


def gradient_shapes() -> Found:
    trace = compute_trace({"text": WORDS, "model": {"source": "seeded", "num_heads": 1}})
    derived = gradients(trace, Sum(kind="sum")).trace
    layer = derived.layers[0]
    x, k = trace.layers[0]["x"][0], trace.layers[0]["k"][0, 0]
    right, w_q = x.T @ layer["scores"][0, 0] @ k, derived.parameters[0].w_q
    printed = x.T @ layer["weights"][0, 0]
    return {
        "printed": shape(printed),
        "w": shape(w_q),
        "difference": largest_difference(right, w_q),
    }


def slopes() -> Found:
    scores, step = np.array([0.5, -1.0, 2.0]), 1e-6
    moved = [
        (softmax(scores + step * unit) - softmax(scores - step * unit)) / (2 * step)
        for unit in np.eye(3)
    ]
    difference = np.abs(np.array(moved).T - softmax_jacobian(softmax(scores))).max()
    return {"difference": decimal(float(difference))}


def not_a_norm() -> Found:
    rows = norm_rows()
    return {"once": rows[0][1], "four": rows[-1][1], "normed": rows[-1][3]}


def key_bias() -> Found:
    moved = {row[0]: row[2] for row in bias_rows()}
    return {"q": moved["b_q"], "k": moved["b_k"]}
