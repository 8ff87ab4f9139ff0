"""Attention in lists and loops, independent of the code under test."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Vector = list[float]
Matrix = list[Vector]
Batch = list[Matrix]
MayAttend = Callable[[int, int, int], bool]


def is_open(body: dict[str, Any], i: int, j: int, queries: int, keys: int) -> bool:
    """By the contract alone."""
    padded = i >= queries and body.get("padding") != "keys"
    if padded or j >= keys or [i, j] in body.get("blocked", []):
        return False
    if j < body.get("prefix", 0):
        return True
    cross = any(body.get(name) for name in ("context", "context_tokens", "context_x"))
    causal = not cross if body.get("causal") is None else body["causal"]
    if causal and j > i:
        return False
    return _in_a_pattern(body, i, j)


def _in_a_pattern(body: dict[str, Any], i: int, j: int) -> bool:
    """Whether a requested pattern opens the cell; without patterns all are open."""
    opens = []
    if body.get("window") is not None:
        opens.append(abs(i - j) < body["window"])
    if body.get("global_tokens", 0) > 0:
        opens.append(min(i, j) < body["global_tokens"])
    if body.get("global_places"):
        opens.append(not {i, j}.isdisjoint(body["global_places"]))
    if body.get("stride") is not None:
        opens.append(j in range(i % body["stride"], max(i, j) + 1, body["stride"]))
    if body.get("block_size") is not None:
        first = i - i % body["block_size"]
        opens.append(j in range(first, first + body["block_size"]))
    return any(opens) or not opens


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
    positions: str = "none",
    dropped: Sequence[int] = (),
) -> dict[str, Any]:
    """One layer and batch row, from q to output."""
    q = heads_of(affine(x, p["w_q"], p.get("b_q")), heads)
    k = heads_of(affine(context, p["w_k"], p.get("b_k")), kv_heads)
    v = heads_of(affine(context, p["w_v"], p.get("b_v")), kv_heads)
    unrotated = {"unrotated_q": q, "unrotated_k": k} if positions == "rotary" else {}
    if positions == "rotary":
        q, k = ([rotated(head) for head in each] for each in (q, k))
    serves = [h // (heads // kv_heads) for h in range(heads)]
    scores = [times(q[h], transposed(k[serves[h]])) for h in range(heads)]
    scaled = [[[s * factor for s in row] for row in head] for head in scores]
    if positions == "alibi":
        scaled = [
            [[s - slope * abs(i - j) for j, s in enumerate(row)] for i, row in enumerate(head)]
            for slope, head in zip(slopes(heads), scaled, strict=True)
        ]
    masked = [
        [
            [s if may_attend(i, j) else -math.inf for j, s in enumerate(row)]
            for i, row in enumerate(head)
        ]
        for head in scaled
    ]
    weights = [[softmax(row) for row in head] for head in masked]
    head_outputs = [times(weights[h], v[serves[h]]) for h in range(heads)]
    kept = [[[0.0 for _ in r] for r in o] if h in dropped else o
            for h, o in enumerate(head_outputs)]  # fmt: skip
    concat = [[c for head in kept for c in head[i]] for i in range(len(x))]
    output = affine(concat, p["w_o"], p.get("b_o")) if "w_o" in p else concat
    return {
        **unrotated, "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
        "masked_scores": masked, "weights": weights, "head_outputs": head_outputs,
        "concat": concat, "output": output,
    }  # fmt: skip


def layer(
    x: Matrix, p: dict[str, Any], block: str, attention: Callable[[Matrix], dict[str, Any]]
) -> dict[str, Any]:
    """One batch row: stages, and intermediates."""
    norm = (p.get("norm_gain"), p.get("norm_bias"))
    mlp_norm = (p.get("mlp_norm_gain"), p.get("mlp_norm_bias"))
    inside = normed(x, *norm) if block == "pre_norm" else x
    stages = attention(inside)
    out = stages["output"]
    if block == "pre_norm":
        stages["normed_x"], y = inside, plus(x, out)
    elif block == "post_norm":
        stages["x_plus_output"] = plus(x, out)
        y = normed(stages["x_plus_output"], *norm)
    elif block == "sublayer_norm":
        stages["normed_output"] = normed(out, *norm)
        y = plus(x, stages["normed_output"])
    else:
        y = plus(x, out) if block == "residual" else out
    if "w_in" not in p:
        return {**stages, "block_output": y}
    inside = normed(y, *mlp_norm) if block == "pre_norm" else y
    hidden = affine(inside, p["w_in"], p.get("b_in"))
    activated = [[gelu(one) for one in row] for row in hidden]
    out = affine(activated, p["w_out"], p.get("b_out"))
    stages |= {"middle": y, "hidden": hidden, "activated": activated, "mlp_output": out}
    if block == "pre_norm":
        stages["normed_middle"], y = inside, plus(y, out)
    elif block == "post_norm":
        stages["middle_plus_mlp"] = plus(y, out)
        y = normed(stages["middle_plus_mlp"], *mlp_norm)
    elif block == "sublayer_norm":
        stages["normed_mlp_output"] = normed(out, *mlp_norm)
        y = plus(y, stages["normed_mlp_output"])
    else:
        y = plus(y, out) if block == "residual" else out
    return {**stages, "block_output": y}


def normed(x: Matrix, gain: Vector, bias: Vector) -> Matrix:
    rows = []
    for row in x:
        mean = math.fsum(row) / len(row)
        variance = math.fsum((one - mean) ** 2 for one in row) / len(row)
        each = zip(row, gain, bias, strict=True)
        rows.append([(one - mean) / math.sqrt(variance + 1e-5) * g + b for one, g, b in each])
    return rows


def gelu(x: float) -> float:
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rotated(a: Matrix) -> Matrix:
    """Row i, pair by pair, by the angle i / 10000^(2c/d)."""
    rows = []
    for i, row in enumerate(a):
        turned: Vector = []
        for c in range(0, len(row), 2):
            angle = i / math.pow(10000, c / len(row))
            one, two = row[c : c + 2]
            turned.append(one * math.cos(angle) - two * math.sin(angle))
            turned.append(one * math.sin(angle) + two * math.cos(angle))
        rows.append(turned)
    return rows


def slopes(heads: int) -> Vector:
    """2^(−8/h), 2^(−16/h) …; else those of the lower power of two, then of the next."""

    def of_power(h: int) -> Vector:
        return [2 ** (-8 * (i + 1) / h) for i in range(h)]

    lower = 1
    while 2 * lower <= heads:
        lower *= 2
    return of_power(lower) + of_power(2 * lower)[::2][: heads - lower]


def answer(
    body: dict[str, Any],
    x: Batch,
    layers: list[dict[str, Any]],
    heads: int,
    kv_heads: int,
    d_k: int,
    lengths: list[tuple[int, int]],
    context: Batch | None = None,
) -> list[dict[str, Any]]:
    """Every layer, batch first, from x and the context."""
    scale = {"sqrt_d_k": 1 / math.sqrt(d_k), "none": 1.0}.get(body["scale"], body["scale"])
    factor = scale / body["temperature"]
    positions, block = (body["model"].get(name, "none") for name in ("positions", "block"))
    answers = []
    for at, p in enumerate(layers):
        dropped = [head for layer, head in body.get("drop", []) if layer == at]
        rows = []
        for b, (one, (queries, keys)) in enumerate(zip(x, lengths, strict=True)):
            read = {} if context is None else {"context": context[b]}

            def may_attend(i: int, j: int, queries: int = queries, keys: int = keys) -> bool:
                return is_open(body, i, j, queries, keys)

            def attention(
                z: Matrix, p: Any = p, read: dict[str, Matrix] = read, dropped: Any = dropped
            ) -> dict[str, Any]:
                asked = read.get("context", z)
                return attend(z, asked, p, heads, kv_heads, factor, may_attend, positions, dropped)

            rows.append({"x": one, **read, **layer(one, p, block, attention)})
        answers.append({name: [row[name] for row in rows] for name in rows[0]})
        x = answers[-1]["block_output"]
    return answers


def sinusoidal(n: int, d_model: int) -> Matrix:
    """sin and cos in turn."""
    table = []
    for i in range(n):
        row = []
        for c in range(d_model):
            angle = i / math.pow(10000, (c - c % 2) / d_model)
            row.append(math.sin(angle) if c % 2 == 0 else math.cos(angle))
        table.append(row)
    return table
