from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnscope.attention.positions import buckets
from attnscope.attention.products import Dense
from attnscope.attention.scaling import slopes_of
from attnscope.trace.cell_reader import (
    Operand,
    Reader,
    Step,
    equation,
    format_number,
    products,
    shorten_sum,
    signed,
    total,
)
from attnscope.trace.embed import Embedded
from attnscope.trace.stages import BY_NAME

MOST_OPERANDS = 4096
PROJECTED = ("q", "k", "v", "unrotated_q", "unrotated_k", "unnormed_q", "unnormed_k")


def dot(r: Reader, stage: str, left: list[Operand], right: list[Operand], bias: str | None) -> Step:
    added = None if bias not in r.parameters else r.operand(bias, 0, right[0].col)
    return product(r, stage, left, right, added)


def product(
    r: Reader, stage: str, left: list[Operand], right: list[Operand], added: Operand | None
) -> Step:
    value = r.value(stage)
    operands = [*left, *right]
    terms = products([one.value for one in left], [one.value for one in right])
    if added is not None:
        terms, operands = [*terms, signed(added.value)], [*operands, added]
    read, middle = [one.value for one in operands], len(left)
    return Step(
        stage, equation(total(terms), read, value), operands, value,
        left=(0, middle), right=(middle, 2 * middle),
        bias=None if added is None else 2 * middle,
        short=equation(shorten_sum(terms), read, value),
    )  # fmt: skip


def norm_step(r: Reader, stage: str, source: str, norm: str, head: int | None = None) -> Step:
    p, value = r.place, r.value(stage)
    row = r.row(source, p.row, head)
    tensors = [f"{norm}_{what}" for what in ("gain", "bias") if f"{norm}_{what}" in r.parameters]
    own = [r.operand(name, 0, p.col) for name in tensors]
    z, made = np.array([one.value for one in row]), r.setting.architecture
    mean = 0.0 if made.norm == "rms" else float(z.mean())
    root = float(np.sqrt(np.square(z - mean).mean() + made.epsilon))
    centred = (
        f"({format_number(z[p.col])} − {signed(mean)})"
        if made.norm == "layer"
        else format_number(z[p.col])
    )
    expression = f"{centred} / {format_number(root)}"
    for one, name in zip(own, tensors, strict=True):
        expression += f" {'×' if name.endswith('gain') else '+'} {signed(one.value)}"
    read = [float(z[p.col]), mean, root, *(one.value for one in own)]
    formula = "(z − mean) / √(variance" if made.norm == "layer" else "z / √(mean of z²"
    written = f"{formula} + {made.epsilon:g}) = {equation(expression, read, value)}"
    return Step(stage, written, [*row, *own], value)


def _projected(stage: str) -> Callable[[Reader], Step]:
    letter = stage[-1]

    def step(r: Reader) -> Step:
        whole = f"unrotated_{letter}"
        if stage == letter and whole in r.stages:
            return _rotated(r, stage)
        if stage in (letter, whole) and f"unnormed_{letter}" in r.stages:
            return norm_step(r, stage, f"unnormed_{letter}", f"{letter}_norm", r.place.head)
        width = r.shape.d_v if letter == "v" else r.shape.d_k
        right = r.column(f"w_{letter}", r.place.head * width + r.place.col)
        return dot(r, stage, r.row(_source(r, letter), r.place.row), right, f"b_{letter}")

    return step


def _source(r: Reader, letter: str) -> str:
    if letter != "q" and "context" in r.stages:
        return "context"
    return "normed_x" if "normed_x" in r.stages else "x"


def unrotated(r: Reader, stage: str) -> list[Step]:
    """Steps before the rotation of a pair of columns; without rotation, before the norm."""
    name, col = f"unrotated_{stage}", r.place.col
    if name not in r.stages:
        before = f"unnormed_{stage}"
        return [ATTENTION_STEPS[before](r)] if before in r.stages else []
    rotary, d_k = r.setting.architecture.rotary, r.shape.d_k
    pair = rotary.pair_of(col, d_k)
    ends = [col] if pair is None else [list(range(d_k))[end][pair] for end in rotary.ends(d_k)]
    found = [Reader(r.trace, replace(r.place, col=col)) for col in ends]
    return [ATTENTION_STEPS[name](one) for one in found]


def _rotated(r: Reader, stage: str) -> Step:
    p, name, rotary = r.place, f"unrotated_{stage}", r.setting.architecture.rotary
    pair = rotary.pair_of(p.col, r.shape.d_k)
    if pair is None:
        operand = r.operand(name, p.row, p.col, p.head)
        return Step(stage, format_number(operand.value), [operand], r.value(stage))
    columns = [list(range(r.shape.d_k))[end][pair] for end in rotary.ends(r.shape.d_k)]
    left, right = (r.operand(name, p.row, col, p.head) for col in columns)
    theirs = stage == "k" and "context" in r.stages  # the context has its own positions
    place = p.row if theirs else r.setting.place(p.batch, p.row)
    angle = rotary.angles(np.array([place]), r.shape.d_k)[0, pair]
    cos, sin = (
        Operand(
            function, p.layer, p.head, p.row, pair,
            rotary.magnitude * float(getattr(np, function)(angle)),
        )
        for function in ("cos", "sin")
    )  # fmt: skip
    factors, sign = ((cos, sin), "−") if p.col == columns[0] else ((sin, cos), "+")
    terms = [
        f"{format_number(one.value)} × {signed(factor.value)}"
        for one, factor in zip((left, right), factors, strict=True)
    ]
    return r.equated(stage, f" {sign} ".join(terms), [left, right, *factors])


def _x(r: Reader) -> Step:
    p, model = r.place, r.trace.plan.model
    if not model.is_first_of_stack(p.layer):
        return _passed_on(r, "x", p.layer - 1)
    start = (
        r.trace.context if model.is_encoder_layer(p.layer) and r.trace.context else r.trace.start
    )
    if r.trace.plan.given(p.layer):
        return _given(r, "x", start.embedding)
    return _embedded(r, "x", start)


def _context(r: Reader) -> Step:
    assert r.trace.context is not None
    model = r.trace.plan.model
    if model.encoder_layers and model.context_norm is None:
        return _passed_on(r, "context", model.encoder_layers - 1)
    if model.encoder_layers:
        return _normed_context(r)
    if r.trace.plan.question.context_x is not None:
        return _given(r, "context", r.trace.context.embedding)
    return _embedded(r, "context", r.trace.context)


def copy_step(stage: str, operand: Operand) -> Step:
    return Step(stage, format_number(operand.value), [operand], operand.value)


def _passed_on(r: Reader, stage: str, layer: int) -> Step:
    p = r.place
    return copy_step(stage, Operand("block_output", layer, None, p.row, p.col, r.value(stage)))


def _normed_context(r: Reader) -> Step:
    p, model = r.place, r.trace.plan.model
    norm, layer = model.context_norm, model.encoder_layers - 1
    assert norm is not None
    row = r.trace.layers[layer]["block_output"][p.batch, p.row]
    operands = [Operand("block_output", layer, None, p.row, col, float(one))
                for col, one in enumerate(row)]  # fmt: skip
    root = float(np.sqrt(np.square(row).mean() + norm.epsilon))
    read = [float(row[p.col]), root, float(norm.gain[p.col])]
    expression = f"{format_number(read[0])} / {format_number(root)} × {signed(read[2])}"
    value = r.value("context")
    formula = f"z / √(mean of z² + {norm.epsilon:g}) = {equation(expression, read, value)}"
    return Step("context", formula, operands, value)


def _given(r: Reader, stage: str, numbers: np.ndarray) -> Step:
    p, value = r.place, r.value(stage)
    given = Operand("given", 0, None, p.row, p.col, float(numbers[p.batch, p.row, p.col]))
    return Step(stage, format_number(value), [given], value)


def given_step(r: Reader, stage: str) -> Step:
    p, head = r.place, r.head_of(stage)
    return copy_step(stage, Operand("given", p.layer, head, p.row, p.col, r.value(stage)))


def _embedded(r: Reader, stage: str, start: Embedded) -> Step:
    p, value = r.place, r.value(stage)
    if start.projection is not None:
        return _widened(r, stage, start.normed[p.batch, p.row], start.projection)
    operands = [
        Operand(name, 0, None, p.row, p.col, float(array[p.batch, p.row, p.col]))
        for name, array in start.parts.items()
    ]
    first, *others = (one.value for one in operands)
    row, norm = start.sum[p.batch, p.row], start.norm
    expression, read = format_number(first), [first]
    if start.scale != 1:
        expression, read = f"{expression} × {format_number(start.scale)}", [*read, start.scale]
    expression, read = total([expression, *map(signed, others)]), [*read, *others]
    if norm is not None:
        assert norm.bias is not None
        more = [row.mean(), np.sqrt(row.var() + norm.epsilon), norm.gain[p.col], norm.bias[p.col]]
        mean, root, gain, bias = map(float, more)
        standard = f"({expression} − {signed(mean)}) / {format_number(root)}"
        expression = f"{standard} × {signed(gain)} + {signed(bias)}"
        read += [mean, root, gain, bias]
    if len(read) == 1:
        return Step(stage, format_number(value), operands, value)
    return Step(stage, equation(expression, read, value), operands, value)


def _widened(r: Reader, stage: str, row: np.ndarray, projection: Dense) -> Step:
    p, (matrix, biases) = r.place, projection
    left = [Operand("normed_embedding", 0, None, p.row, c, float(a)) for c, a in enumerate(row)]
    right = [Operand("w_e", 0, None, c, p.col, float(a)) for c, a in enumerate(matrix[:, p.col])]
    return product(r, stage, left, right, Operand("b_e", 0, None, 0, p.col, float(biases[p.col])))


def _scores(r: Reader) -> Step:
    p = r.place
    kv_head = r.shape.kv_head_of(p.head)
    return dot(r, "scores", r.row("q", p.row, p.head), r.row("k", p.col, kv_head), None)


def _scaled_scores(r: Reader) -> Step:
    p, options, made = r.place, r.setting.options, r.setting.architecture
    operand = r.operand("scores", p.row, p.col, p.head)
    value = r.value("scaled_scores")
    root = f" (1/√{r.shape.d_k})" if r.trace.plan.scaling == "sqrt_d_k" else ""
    over = "" if options.temperature == 1 else f" ÷ {format_number(options.temperature)}"
    expression = f"{format_number(operand.value)} × {signed(options.scale)}{root}{over}"
    read = [operand.value, options.scale, options.temperature]
    operands = [operand]
    slopes = slopes_of(r.setting)
    if slopes is not None:
        slope = slopes[p.head]
        operands.append(Operand("slope", p.layer, p.head, 0, 0, slope))
        expression += f" − {format_number(slope)} × |{p.row} − {p.col}|"
    if made.positions == "relative":
        row, col = (np.array([place]) for place in (p.row, p.col))
        bucket = int(buckets(row, col, made.relative)[0, 0])
        added = r.operand("relative_bias", bucket, p.head)
        operands, read = [*operands, added], [*read, added.value]
        expression += f" + {signed(added.value)}"
    if made.score_cap is not None:
        cap = format_number(made.score_cap)
        expression, read = f"{cap} × tanh(({expression}) / {cap})", [*read, made.score_cap]
    return Step("scaled_scores", equation(expression, read, value), operands, value)


def _masked_scores(r: Reader) -> Step:
    p = r.place
    operand = r.operand("scaled_scores", p.row, p.col, p.head)
    mask = "(−∞)" if np.isneginf(r.value("masked_scores")) else "0"
    return r.equated("masked_scores", f"{format_number(operand.value)} + {mask}", [operand])


def _weights(r: Reader) -> Step:
    p = r.place
    scores = r.slice("masked_scores", p.head)[p.row, :]
    operands = [r.operand("masked_scores", p.row, p.col, p.head)]
    if len(scores) <= MOST_OPERANDS:
        operands = r.row("masked_scores", p.row, p.head)
    value = r.value("weights")
    peak = scores.max()
    if peak == -np.inf:
        return Step("weights", "0", operands, value)
    with np.errstate(invalid="ignore"):
        total = np.exp(scores - peak).sum()
    own = scores[p.col]
    over = f"exp({format_number(own)} − {signed(peak)}) / {format_number(total)}"
    expression = f"exp(s − max) / Σ = {equation(over, [own, peak, total], value)}"
    return Step("weights", expression, operands, value)


def _head_outputs(r: Reader) -> Step:
    p = r.place
    left, right = r.row("weights", p.row, p.head), r.column("v", p.col, r.shape.kv_head_of(p.head))
    return dot(r, "head_outputs", left, right, None)


def _concat(r: Reader) -> Step:
    head, col = divmod(r.place.col, r.shape.d_v)
    operand = r.operand(BY_NAME["concat"].inputs[0], r.place.row, col, head)
    if head in r.setting.dropped:
        expression = f"0 × {signed(operand.value)} = 0"
        return Step("concat", expression, [operand], r.value("concat"))
    return copy_step("concat", operand)


def _output(r: Reader) -> Step:
    p = r.place
    if "w_o" not in r.parameters:
        return copy_step("output", r.operand("concat", p.row, p.col))
    return dot(r, "output", r.row("concat", p.row), r.column("w_o", p.col), "b_o")


ATTENTION_STEPS: dict[str, Callable[[Reader], Step]] = {
    "x": _x,
    "context": _context,
    "scores": _scores,
    "scaled_scores": _scaled_scores,
    "masked_scores": _masked_scores,
    "weights": _weights,
    "head_outputs": _head_outputs,
    "concat": _concat,
    "output": _output,
    **{name: _projected(name) for name in PROJECTED},
}
