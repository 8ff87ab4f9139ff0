from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from attnscope.attention.ops import softmax
from attnscope.learn.arithmetic import largest_difference, shape
from attnscope.learn.chapters.twenty_lines_code import LANGUAGES, count_statements
from attnscope.learn.exercises import compute_trace
from attnscope.learn.parts import Body

QUESTION: Body = {
    "text": "The animal didn't cross the street because it was too tired.", "causal": True,
}  # fmt: skip
ROWS, HEADS, D_K = 2, 2, 2  # of the small example


def numbered(rows: int, heads: int, d_k: int) -> np.ndarray:
    """Each number [rows, heads · d_k] is its offset in memory."""
    return np.arange(rows * heads * d_k).reshape(rows, heads * d_k)


def in_heads(a: np.ndarray, heads: int) -> np.ndarray:
    """[n, h · d_k] → [h, n, d_k]."""
    return a.reshape(len(a), heads, -1).transpose(1, 0, 2)


def reshaped_alone(a: np.ndarray, heads: int) -> np.ndarray:
    """[n, h · d_k] → [h, n, d_k] without the transpose: wrong numbers."""
    return a.reshape(heads, len(a), -1)


def split_rows() -> list[list[str]]:
    whole = numbered(ROWS, HEADS, D_K)
    right, wrong = in_heads(whole, HEADS), reshaped_alone(whole, HEADS)
    return [
        [f"({s}, {i})", _listed(right[s, i]), _listed(wrong[s, i])]
        for s, i in np.ndindex(right.shape[:2])
    ]


def _listed(row: np.ndarray) -> str:
    return ", ".join(map(str, row))


def memory_rows() -> list[list[str]]:
    a = numbered(ROWS, HEADS, D_K)
    b = a.reshape(ROWS, HEADS, D_K)
    c = b.transpose(1, 0, 2)
    o = np.eye(ROWS, dtype=int) @ c  # any weights would do
    e = o.transpose(1, 0, 2)
    f = e.reshape(ROWS, -1)
    lines = [("a = x @ w_q", a, None), ("b = a.reshape(2, 2, 2)", b, a),
            ("c = b.transpose(1, 0, 2)", c, b), ("o = weights @ c", o, c),
            ("e = o.transpose(1, 0, 2)", e, o), ("f = e.reshape(2, 4)", f, e)]  # fmt: skip
    return [
        [line, shape(array),
         _listed(np.array(array.strides) // array.itemsize),
         "0" if source is not None and np.shares_memory(array, source) else str(array.size)]
        for line, array, source in lines
    ]  # fmt: skip


@cache
def misread() -> Mapping[str, str]:
    trace = compute_trace(QUESTION)
    shape, layer, p = trace.plan.model.shape, trace.layers[0], trace.parameters[0]
    x, heads = layer["x"][0], shape.num_heads
    q, k = (reshaped_alone(x @ w, heads) for w in (p.w_q, p.w_k))
    scaled = q @ k.swapaxes(-1, -2) / np.sqrt(shape.d_k)
    weights = softmax(np.where(np.tri(len(x), dtype=bool), scaled, -np.inf))
    assert np.abs(weights.sum(axis=-1) - 1).max() < 1e-9
    return {
        "difference": f"{np.abs(weights - layer['weights'][0]).max():.2f}",
        "tokens": str(len(x)), "heads": str(heads), "read": str(len(x) // heads),
    }  # fmt: skip


def counted() -> Mapping[str, str]:
    return {language: str(count_statements(language)) for language in LANGUAGES}


def whole_transpose() -> Mapping[str, str]:
    k = np.zeros((2, 3, 4))
    q, cube = np.random.Generator(np.random.PCG64(0)).standard_normal((2, 3, 3, 3))
    return {"k": shape(k), "t": shape(k.T), "right": shape(k.swapaxes(-1, -2)),
            "wrong": largest_difference(q @ cube.T, q @ cube.swapaxes(-1, -2))}  # fmt: skip
