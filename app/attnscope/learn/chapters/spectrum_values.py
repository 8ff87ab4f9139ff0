from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.analysis.initialisation import THEORY
from attnscope.analysis.projections import directions
from attnscope.analysis.spectrum import Factored, head_matrices, whole_matrices
from attnscope.analysis.unseen import null_space, principal
from attnscope.learn.arithmetic import decimal, largest_difference
from attnscope.learn.arithmetic import shape as shape_of
from attnscope.learn.exercises import compute_trace
from attnscope.learn.parts import Body
from attnscope.trace.trace import Trace
from attnscope.weights.schemes import SCHEMES, Init, stream

TEXT = "The animal didn't cross the street because it was too tired."
OTHER = "It was too tired, so the animal sat down beside the street."
MATRICES = ("w_q", "w_k", "w_v")
NULL = np.array([1.0, 1, -1])  # in the null space of SAME's W_Q
INIT: Init = "xavier_normal"

# Rows of x differ by multiples of NULL. q is [x₁ + x₃, x₂ + x₃], k is [x₁, x₂].
SAME: Body = {
    "x": [(np.array([1.0, 2, 0]) + times * NULL).tolist() for times in (0, 1, 2, -1)],
    "tokens": ["a", "a + n", "a + 2n", "a − n"], "causal": False,
    "model": {"source": "explicit", "w_q": [[1, 0], [0, 1], [1, 1]],
              "w_k": [[1, 0], [0, 1], [0, 0]], "w_v": [[1, 0], [0, 1], [0, 0]]},
}  # fmt: skip


@cache
def trace_of(text: str = TEXT) -> Trace:
    return compute_trace({"text": text})


def percent(share: float) -> str:
    return f"{100 * share:.0f}\u202f%"


def lost_rows() -> list[list[str]]:
    trace = trace_of()
    x, shape, p = trace.layers[0]["x"][0], trace.plan.model.shape, trace.parameters[0]
    heads = {str(head): head_matrices(p, shape, head) for head in range(shape.num_heads)}
    each = {**heads, f"0–{shape.num_heads - 1}": whole_matrices(p)}
    return [
        [name, *(percent(_lost(matrices[w], x)) for w in MATRICES)]
        for name, matrices in each.items()
    ]


def _lost(matrix: Factored, x: np.ndarray) -> float:
    found = null_space(matrix, x)
    assert found is not None
    return found.share


def lost() -> Mapping[str, str]:
    shape = trace_of().plan.model.shape
    return {
        "d_model": str(shape.d_model), "d_k": str(shape.d_k), "heads": str(shape.num_heads),
        "unseen": str(shape.d_model - shape.d_k),
        "expected": percent((shape.d_model - shape.d_k) / shape.d_model),
    }  # fmt: skip


def spread_rows() -> list[list[str]]:
    trace = trace_of()
    x = trace.layers[0]["x"][0]
    w = head_matrices(trace.parameters[0], trace.plan.model.shape, 0)["w_q"]
    spread, read = principal(x), directions("w_q", w, x, x)
    assert spread is not None
    centred = x - x.mean(axis=0)
    named = zip(("p₁", "p₂", "u₁", "u₂"), (*spread.directions, *read.left), strict=True)
    return [
        [name, percent(float(((centred @ along) ** 2).sum() / (centred**2).sum())),
         f"{np.linalg.norm(along @ w.left):.2f}"]
        for name, along in named
    ]  # fmt: skip


@cache
def not_a_covariance() -> Mapping[str, str]:
    first, second = trace_of(), trace_of(OTHER)
    shape = first.plan.model.shape
    products = [head_matrices(t.parameters[0], shape, 0)["w_qk"].dense() for t in (first, second)]
    m = products[0]
    assert np.array_equal(m, products[1])
    values = np.linalg.eigvalsh((m + m.T) / 2)
    between = [_covariance(t) for t in (first, second)]
    return {
        "d_model": str(shape.d_model), "d_k": str(shape.d_k),
        "lowest": decimal(float(values[0])), "highest": f"{values[-1]:.2f}",
        "asymmetry": f"{np.abs(m - m.T).max():.2f}", "largest": f"{np.abs(m).max():.2f}",
        "moved": f"{np.abs(between[0] - between[1]).max():.2f}",
        "covariance": f"{np.abs(between[0]).max():.2f}",
    }  # fmt: skip


def _covariance(trace: Trace) -> np.ndarray:
    """Covariance [d_k, d_k] of queries and keys of head 0."""
    q, k = (trace.layers[0][name][0, 0] for name in "qk")
    covariance: np.ndarray = (q - q.mean(axis=0)).T @ (k - k.mean(axis=0)) / len(q)
    return covariance


def fan_rows() -> list[list[str]]:
    shape = trace_of().plan.model.shape
    d, d_k, heads = shape.d_model, shape.d_k, shape.num_heads
    table = []
    for columns, count in ((heads * d_k, 1), (d_k, heads), (3 * heads * d_k, 1)):
        predicted = THEORY[INIT].variance(d, columns)
        rng = stream(0, 0, "w_q")
        drawn = np.concatenate([SCHEMES[INIT](rng, d, columns) for _ in range(count)], axis=1)
        table.append([f"{count} × ({d} × {columns})", f"{predicted:.4f}", f"{drawn.var():.4f}",
                     f"{d * predicted:.2f}"])  # fmt: skip
    return table


def fan() -> Mapping[str, str]:
    shape = trace_of().plan.model.shape
    whole, apart = (THEORY[INIT].variance(shape.d_model, columns)
                    for columns in (shape.num_heads * shape.d_k, shape.d_k))  # fmt: skip
    ratio = apart / whole
    return {"ratio": f"{ratio:.2f}", "squared": f"{ratio**2:.2f}", "heads": str(shape.num_heads)}


@cache
def relu() -> Mapping[str, str]:
    return {activation: percent(_passed(activation)) for activation in ("relu", "gelu")}


def _passed(activation: str) -> float:
    model = {"source": "seeded", "block": "pre_norm", "mlp": True, "activation": activation}
    layer = compute_trace({"text": TEXT, "model": model}).layers[0]
    before, after = (float((layer[name] ** 2).mean()) for name in ("hidden", "activated"))
    return after / before


def _first_head() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, W_Q and W_K of head 0."""
    trace = trace_of()
    p, d_k = trace.parameters[0], trace.plan.model.shape.d_k
    return trace.layers[0]["x"][0], p.w_q[:, :d_k], p.w_k[:, :d_k]


@cache
def rotated() -> Mapping[str, str]:
    """An orthogonal R changes columns, but not scores."""
    x, w_q, w_k = _first_head()
    d_k = w_q.shape[1]
    r = SCHEMES["orthogonal"](stream(0, 0, "w_q"), d_k, d_k)
    moved = np.abs((x @ w_q @ r) @ (x @ w_k @ r).T - x @ w_q @ (x @ w_k).T).max()
    assert moved < 1e-9
    return {"scores": "0", "column": f"{np.abs((w_q @ r)[:, 0] - w_q[:, 0]).max():.2f}"}


@cache
def rescaled() -> Mapping[str, str]:
    """W_Q a and W_K / a give the same scores."""
    x, w_q, w_k = _first_head()
    a = np.array([10.0, *np.ones(w_q.shape[1] - 1)])
    moved = largest_difference((x @ w_q) @ (x @ w_k).T, (x @ (w_q * a)) @ (x @ (w_k / a)).T)
    return {"rescaled": moved, "sigma": f"{np.linalg.norm(w_q, 2):.2f}",
            "larger": f"{np.linalg.norm(w_q * a, 2):.2f}"}  # fmt: skip


def rotated_and_rescaled() -> Mapping[str, str]:
    return {**rotated(), **rescaled()}


@cache
def applied_twice() -> Mapping[str, str]:
    w_q, shape = trace_of().parameters[0].w_q, trace_of().plan.model.shape
    return {"w": f"{shape.d_model} × {shape.d_k}", "all": shape_of(w_q),
            "apart": largest_difference(w_q @ w_q, w_q)}  # fmt: skip


def lost_share() -> Mapping[str, str]:
    rows = lost_rows()
    return {"head": rows[0][1], "together": rows[-1][1]}


@cache
def null_spaces() -> Mapping[str, str]:
    shape = trace_of().plan.model.shape
    matrices = head_matrices(trace_of().parameters[0], shape, 0)
    missing = {name: shape.d_model - int(np.linalg.matrix_rank(matrices[name].dense()))
               for name in ("w_q", "w_v")}  # fmt: skip
    return {"q": str(missing["w_q"]), "v": str(missing["w_v"]), "d": str(shape.d_model)}
