"""Attention once more, in lists and loops: no numpy, nothing shared with the code under test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Vector = list[float]
Matrix = list[Vector]
Batch = list[Matrix]
MayAttend = Callable[[int, int, int], bool]


def is_open(body: dict[str, Any], i: int, j: int, queries: int, keys: int) -> bool:
    """Whether query i may attend to key j, told from the contract alone."""
    if i >= queries or j >= keys or [i, j] in body.get("blocked", []):
        return False
    if j < body.get("prefix", 0):
        return True
    if body.get("causal") in (None, True) and j > i:
        return False
    return body.get("window") is None or abs(i - j) < body["window"]


def times(a: Matrix, b: Matrix) -> Matrix:
    return [
        [math.fsum(row[c] * b[c][col] for c in range(len(b))) for col in range(len(b[0]))]
        for row in a
    ]


def affine(x: Matrix, w: Matrix, b: Vector | None) -> Matrix:
    product = times(x, w)
    return (
        product
        if b is None
        else [[y + add for y, add in zip(row, b, strict=True)] for row in product]
    )


def plus(a: Matrix, b: Matrix) -> Matrix:
    pairs = zip(a, b, strict=True)
    return [[one + two for one, two in zip(*rows, strict=True)] for rows in pairs]


def columns(a: Matrix, first: int, last: int) -> Matrix:
    return [row[first:last] for row in a]


def heads_of(a: Matrix, heads: int) -> Batch:
    width = len(a[0]) // heads
    return [columns(a, h * width, (h + 1) * width) for h in range(heads)]


def transposed(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def softmax(row: Vector) -> Vector:
    seen = [score for score in row if score != -math.inf]
    if not seen:
        return [0.0] * len(row)
    total = math.fsum(math.exp(score - max(seen)) for score in seen)
    return [0.0 if s == -math.inf else math.exp(s - max(seen)) / total for s in row]


def attend(
    x: Matrix,
    context: Matrix,
    p: dict[str, Any],
    heads: int,
    kv_heads: int,
    factor: float,
    may_attend: Callable[[int, int], bool],
) -> dict[str, Any]:
    """Every stage of one layer and one batch row, from q to output."""
    q = heads_of(affine(x, p["w_q"], p.get("b_q")), heads)
    k = heads_of(affine(context, p["w_k"], p.get("b_k")), kv_heads)
    v = heads_of(affine(context, p["w_v"], p.get("b_v")), kv_heads)
    serves = [h // (heads // kv_heads) for h in range(heads)]
    scores = [times(q[h], transposed(k[serves[h]])) for h in range(heads)]
    scaled = [[[s * factor for s in row] for row in head] for head in scores]
    masked = [
        [
            [s if may_attend(i, j) else -math.inf for j, s in enumerate(row)]
            for i, row in enumerate(head)
        ]
        for head in scaled
    ]
    weights = [[softmax(row) for row in head] for head in masked]
    head_outputs = [times(weights[h], v[serves[h]]) for h in range(heads)]
    concat = [[c for head in head_outputs for c in head[i]] for i in range(len(x))]
    output = affine(concat, p["w_o"], p.get("b_o")) if "w_o" in p else concat
    return {
        "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
        "masked_scores": masked, "weights": weights, "head_outputs": head_outputs,
        "concat": concat, "output": output,
    }  # fmt: skip


def answer(
    body: dict[str, Any],
    x: Batch,
    layers: list[dict[str, Any]],
    heads: int,
    kv_heads: int,
    d_k: int,
    lengths: list[int],
) -> list[dict[str, Any]]:
    """Every stage of every layer of a question, batch first, from x on."""
    scale = {"sqrt_d_k": 1 / math.sqrt(d_k), "none": 1.0}.get(body["scale"], body["scale"])
    factor = scale / body["temperature"]
    residual = body["model"].get("block") == "residual"
    answers = []
    for p in layers:
        rows = []
        for one, length in zip(x, lengths, strict=True):

            def may_attend(i: int, j: int, length: int = length) -> bool:
                return is_open(body, i, j, length, length)

            stages = attend(one, one, p, heads, kv_heads, factor, may_attend)
            out = stages["output"]
            rows.append({"x": one, **stages, "block_output": plus(one, out) if residual else out})
        answers.append({name: [row[name] for row in rows] for name in rows[0]})
        x = answers[-1]["block_output"]
    return answers


def sinusoidal(n: int, d_model: int) -> Matrix:
    """sin and cos by turns, the wavelength growing with each pair."""
    table = []
    for i in range(n):
        row = []
        for c in range(d_model):
            angle = i / math.pow(10000, (c - c % 2) / d_model)
            row.append(math.sin(angle) if c % 2 == 0 else math.cos(angle))
        table.append(row)
    return table
