"""How the cells of attention were made, from x to output: a step for each stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.attention.dense import Dense
from app.attention.positions import alibi_slopes, rotary_angles
from app.trace.embed import Embedded
from app.trace.reader import Operand, Reader, Step
from app.trace.written import at_a_glance, equation, number, products, signed, total


def dot(r: Reader, stage: str, left: list[Operand], right: list[Operand], bias: str | None) -> Step:
    """One row times one column, and the bias where there is one."""
    added = None if bias not in r.parameters else r.operand(bias, 0, right[0].col)
    return product(r, stage, left, right, added)


def product(
    r: Reader, stage: str, left: list[Operand], right: list[Operand], added: Operand | None
) -> Step:
    """The same of operands that were read already."""
    value = r.value(stage, r.head_of(stage), r.place.row, r.place.col)
    operands = [*left, *right]
    terms = products([one.value for one in left], [one.value for one in right])
    if added is not None:
        terms, operands = [*terms, signed(added.value)], [*operands, added]
    read, middle = [one.value for one in operands], len(left)
    return Step(
        stage, equation(total(terms), read, value), operands, value,
        left=(0, middle), right=(middle, 2 * middle),
        bias=None if added is None else 2 * middle,
        short=equation(at_a_glance(terms), read, value),
    )  # fmt: skip


def _projected(stage: str, width: Callable[[Reader], int]) -> Callable[[Reader], Step]:
    letter = stage[-1]

    def step(r: Reader) -> Step:
        if f"unrotated_{stage}" in r.stages:
            return _rotated(r, stage)
        column = r.place.head * width(r) + r.place.col
        right = r.column(f"w_{letter}", column)
        return dot(r, stage, r.row(_source(r, letter), r.place.row), right, f"b_{letter}")

    return step


def _source(r: Reader, letter: str) -> str:
    """What q, k or v is made of."""
    if letter != "q" and "context" in r.stages:
        return "context"
    return "normed_x" if "normed_x" in r.stages else "x"


def unrotated(r: Reader, stage: str) -> list[Step]:
    """Of q or k that rotary positions turn: how both columns of its pair were made."""
    name, even = f"unrotated_{stage}", r.place.col - r.place.col % 2
    if name not in r.stages:
        return []
    pair = [Reader(r.trace, replace(r.place, col=col)) for col in (even, even + 1)]
    return [ATTENTION_STEPS[name](one) for one in pair]


def _rotated(r: Reader, stage: str) -> Step:
    """One column of a pair that is turned by the angle of its position."""
    p, name = r.place, f"unrotated_{stage}"
    pair = p.col // 2
    even, odd = (r.operand(name, p.row, 2 * pair + at, p.head) for at in (0, 1))
    angle = rotary_angles(p.row + 1, r.shape.d_k)[p.row, pair]
    cos, sin = (
        Operand(function, p.layer, p.head, p.row, pair, float(getattr(np, function)(angle)))
        for function in ("cos", "sin")
    )
    value = r.value(stage, p.head, p.row, p.col)
    factors, sign = ((cos, sin), "−") if p.col % 2 == 0 else ((sin, cos), "+")
    terms = [
        f"{number(one.value)} × {signed(factor.value)}"
        for one, factor in zip((even, odd), factors, strict=True)
    ]
    operands = [even, odd, *factors]
    read = [one.value for one in operands]
    return Step(stage, equation(f" {sign} ".join(terms), read, value), operands, value)


def _x(r: Reader) -> Step:
    p, value = r.place, r.value("x", None, r.place.row, r.place.col)
    if p.layer > 0:
        below = r.trace.layers[p.layer - 1]["block_output"][p.batch, p.row, p.col]
        operand = Operand("block_output", p.layer - 1, None, p.row, p.col, float(below))
        return Step("x", number(value), [operand], value)
    if r.trace.plan.question.x is not None:
        return _given(r, "x", r.trace.start.embedding)
    return _embedded(r, "x", r.trace.start)


def _context(r: Reader) -> Step:
    assert r.trace.context is not None
    if r.trace.plan.question.context_x is not None:
        return _given(r, "context", r.trace.context.embedding)
    return _embedded(r, "context", r.trace.context)


def _given(r: Reader, stage: str, numbers: np.ndarray) -> Step:
    """A number of the question itself: nothing is looked up and no position is added."""
    p, value = r.place, r.value(stage, None, r.place.row, r.place.col)
    given = Operand("given", 0, None, p.row, p.col, float(numbers[p.batch, p.row, p.col]))
    return Step(stage, number(value), [given], value)


def _embedded(r: Reader, stage: str, start: Embedded) -> Step:
    """An embedding, what is added to it, and the norm of their row; where the embedding has another
    width than x, that row times a column."""
    p, value = r.place, r.value(stage, None, r.place.row, r.place.col)
    if start.projection is not None:
        return _widened(r, stage, start.normed[p.batch, p.row], start.projection)
    operands = [
        Operand(name, 0, None, p.row, p.col, float(array[p.batch, p.row, p.col]))
        for name, array in start.parts.items()
    ]
    read = [one.value for one in operands]
    if len(read) == 1:
        return Step(stage, number(value), operands, value)
    expression = total([number(read[0]), *map(signed, read[1:])])
    if start.norm is not None:
        row, norm = start.sum[p.batch, p.row], start.norm
        more = [row.mean(), np.sqrt(row.var() + norm.epsilon), norm.gain[p.col], norm.bias[p.col]]
        mean, root, gain, bias = map(float, more)
        expression = (
            f"({expression} − {signed(mean)}) / {number(root)} × {signed(gain)} + {signed(bias)}"
        )
        read += [mean, root, gain, bias]
    return Step(stage, equation(expression, read, value), operands, value)


def _widened(r: Reader, stage: str, row: np.ndarray, projection: Dense) -> Step:
    """A normed row of the embedding's own width times a column of the matrix behind it."""
    p, (matrix, biases) = r.place, projection
    left = [Operand("normed_embedding", 0, None, p.row, c, float(a)) for c, a in enumerate(row)]
    column = enumerate(matrix[:, p.col])
    right = [Operand("w_e", 0, None, c, p.col, float(a)) for c, a in column]
    return product(r, stage, left, right, Operand("b_e", 0, None, 0, p.col, float(biases[p.col])))


def _scores(r: Reader) -> Step:
    p = r.place
    kv_head = r.shape.kv_head_of(p.head)
    return dot(r, "scores", r.row("q", p.row, p.head), r.row("k", p.col, kv_head), None)


def _scaled_scores(r: Reader) -> Step:
    p, options = r.place, r.trace.plan.options
    operand = r.operand("scores", p.row, p.col, p.head)
    value = r.value("scaled_scores", p.head, p.row, p.col)
    root = f" (1/√{r.shape.d_k})" if r.trace.plan.question.scaling == "sqrt_d_k" else ""
    over = "" if options.temperature == 1 else f" ÷ {number(options.temperature)}"
    expression = f"{number(operand.value)} × {signed(options.scale)}{root}{over}"
    read = [operand.value, options.scale, options.temperature]
    operands = [operand]
    if r.setting.architecture.positions == "alibi":
        slope = float(alibi_slopes(r.shape.num_heads)[p.head])
        operands.append(Operand("slope", p.layer, p.head, 0, 0, slope))
        expression += f" − {number(slope)} × |{p.row} − {p.col}|"
    return Step("scaled_scores", equation(expression, read, value), operands, value)


def _masked_scores(r: Reader) -> Step:
    p = r.place
    operand = r.operand("scaled_scores", p.row, p.col, p.head)
    value = r.value("masked_scores", p.head, p.row, p.col)
    mask = "(−∞)" if np.isneginf(value) else "0"
    expression = equation(f"{number(operand.value)} + {mask}", [operand.value], value)
    return Step("masked_scores", expression, [operand], value)


def _weights(r: Reader) -> Step:
    p = r.place
    operands = r.row("masked_scores", p.row, p.head)
    value = r.value("weights", p.head, p.row, p.col)
    scores = np.array([operand.value for operand in operands])
    peak = scores.max()
    if peak == -np.inf:
        return Step("weights", "0", operands, value)
    with np.errstate(invalid="ignore"):  # counted in checks.non_finite
        total = np.exp(scores - peak).sum()
    own = scores[p.col]
    over = f"exp({number(own)} − {signed(peak)}) / {number(total)}"
    expression = f"exp(s − max) / Σ = {equation(over, [own, peak, total], value)}"
    return Step("weights", expression, operands, value)


def _head_outputs(r: Reader) -> Step:
    p = r.place
    kv_head = r.shape.kv_head_of(p.head)
    left, right = r.row("weights", p.row, p.head), r.column("v", p.col, kv_head)
    return dot(r, "head_outputs", left, right, None)


def _concat(r: Reader) -> Step:
    p = r.place
    head, col = divmod(p.col, r.shape.d_v)
    operand = r.operand("head_outputs", p.row, col, head)
    if head in r.setting.dropped:
        value = r.value("concat", None, p.row, p.col)
        return Step("concat", f"0 × {signed(operand.value)} = 0", [operand], value)
    return Step("concat", number(operand.value), [operand], operand.value)


def _output(r: Reader) -> Step:
    p = r.place
    if "w_o" not in r.parameters:
        operand = r.operand("concat", p.row, p.col)
        return Step("output", number(operand.value), [operand], operand.value)
    return dot(r, "output", r.row("concat", p.row), r.column("w_o", p.col), "b_o")


ATTENTION_STEPS: dict[str, Callable[[Reader], Step]] = {
    "x": _x,
    "context": _context,
    "q": _projected("q", lambda r: r.shape.d_k),
    "k": _projected("k", lambda r: r.shape.d_k),
    "v": _projected("v", lambda r: r.shape.d_v),
    "scores": _scores,
    "scaled_scores": _scaled_scores,
    "masked_scores": _masked_scores,
    "weights": _weights,
    "head_outputs": _head_outputs,
    "concat": _concat,
    "output": _output,
    "unrotated_q": _projected("unrotated_q", lambda r: r.shape.d_k),
    "unrotated_k": _projected("unrotated_k", lambda r: r.shape.d_k),
}
