"""One cell of one stage: its operands, its formula with the real numbers, its upstream cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from app.attention.ops import EPSILON
from app.attention.positions import alibi_slopes, rotary_angles
from app.attention.transformer import ATTENTION, MLP, Sublayer
from app.errors import InvalidRequest, UnknownStage
from app.trace.run import Trace
from app.trace.stages import BY_NAME, NAMES, Stage
from app.trace.written import equation, number, products, signed

MAPS = ("scores", "scaled_scores", "masked_scores", "weights")


@dataclass(frozen=True)
class Operand:
    """A cell that was read; row and col count along its stage's last two axes."""

    stage: str
    layer: int
    head: int | None
    row: int
    col: int
    value: float


@dataclass(frozen=True)
class Step:
    stage: str
    expression: str
    operands: list[Operand]
    value: float


@dataclass(frozen=True)
class Cell:
    """`closed_by` names the masks that close the cell; empty where it is open."""

    value: float
    formula: str
    latex: str
    steps: list[Step]
    closed_by: list[str]


@dataclass(frozen=True)
class Place:
    layer: int
    head: int
    batch: int
    row: int
    col: int


def explain(trace: Trace, stage_name: str, place: Place) -> Cell:
    """Raises UnknownStage, or InvalidRequest where the cell is outside the stage."""
    reader = Reader.at(trace, stage_name, place)
    stage = BY_NAME[stage_name]
    chain = MAPS[: MAPS.index(stage_name) + 1] if stage_name in MAPS else (stage_name,)
    steps = [*_unrotated(reader, stage_name)]
    steps += [STEPS[name](reader) for name in chain if name in STEPS]
    closed_by: list[str] = []
    if stage_name in ("masked_scores", "weights"):
        lengths = trace.plan.lengths()[place.batch]
        closed_by = trace.plan.options.mask.closed_by(place.row, place.col, lengths)
    value = reader.value(stage_name, place.head, place.row, place.col)
    made = stage.formula_for(trace.plan.question.holds())
    return Cell(value, made.formula, made.latex, steps, closed_by)


class Reader:
    """The numbers around one place of a trace."""

    def __init__(self, trace: Trace, place: Place) -> None:
        self.trace, self.place = trace, place
        if not 0 <= place.layer < len(trace.layers):
            raise out_of_range("layer", place.layer, len(trace.layers))
        self.stages = trace.layers[place.layer]
        self.parameters = trace.parameters[place.layer].arrays()
        self.shape = trace.plan.model.shape

    @classmethod
    def at(cls, trace: Trace, name: str, place: Place) -> Reader:
        """A reader of a place that is there; raises UnknownStage or InvalidRequest."""
        reader = cls(trace, place)
        if name not in reader.stages and name not in reader.parameters:
            raise UnknownStage(
                "unknown_stage", at="stage", stage=name[:40], stages=", ".join(NAMES)
            )
        reader.check(BY_NAME[name])
        return reader

    def slice(self, name: str, head: int | None) -> np.ndarray:
        """The last two axes of a stage of this batch row and head; a bias is one row."""
        if name in self.parameters:
            return np.atleast_2d(self.parameters[name])
        array: np.ndarray = self.stages[name][self.place.batch]
        return array if head is None else array[head]

    def check(self, stage: Stage) -> None:
        heads = {None: None, "head": self.shape.num_heads, "kv_head": self.shape.num_kv_heads}
        count = heads[stage.head_axis]
        if count is not None and not 0 <= self.place.head < count:
            raise out_of_range("head", self.place.head, count)
        if not 0 <= self.place.batch < self.trace.plan.batch:
            raise out_of_range("batch", self.place.batch, self.trace.plan.batch)
        rows, cols = self.slice(stage.name, self.head_of(stage.name)).shape
        if not 0 <= self.place.row < rows:
            raise out_of_range("row", self.place.row, rows)
        if not 0 <= self.place.col < cols:
            raise out_of_range("col", self.place.col, cols)

    def head_of(self, name: str) -> int | None:
        return self.place.head if BY_NAME[name].head_axis else None

    def value(self, name: str, head: int | None, row: int, col: int) -> float:
        head = head if BY_NAME[name].head_axis else None
        return float(self.slice(name, head)[row, col])

    def operand(self, name: str, row: int, col: int, head: int | None = None) -> Operand:
        return Operand(name, self.place.layer, head, row, col, self.value(name, head, row, col))

    def row(self, name: str, row: int, head: int | None = None) -> list[Operand]:
        width = self.slice(name, head).shape[1]
        return [self.operand(name, row, col, head) for col in range(width)]

    def column(self, name: str, col: int, head: int | None = None) -> list[Operand]:
        height = self.slice(name, head).shape[0]
        return [self.operand(name, row, col, head) for row in range(height)]


def out_of_range(name: str, value: int, count: int) -> InvalidRequest:
    return InvalidRequest("out_of_range", at=name, name=name, value=value, last=count - 1)


def _dot(
    r: Reader, stage: str, left: list[Operand], right: list[Operand], bias: str | None
) -> Step:
    """One row times one column, and the bias where there is one."""
    value = r.value(stage, r.head_of(stage), r.place.row, r.place.col)
    operands = [*left, *right]
    expression = products([one.value for one in left], [one.value for one in right])
    if bias is not None and bias in r.parameters:
        added = r.operand(bias, 0, right[0].col)
        expression, operands = f"{expression} + {signed(added.value)}", [*operands, added]
    read = [one.value for one in operands]
    return Step(stage, equation(expression, read, value), operands, value)


def _projected(stage: str, width: Callable[[Reader], int]) -> Callable[[Reader], Step]:
    letter = stage[-1]

    def step(r: Reader) -> Step:
        if f"unrotated_{stage}" in r.stages:
            return _rotated(r, stage)
        column = r.place.head * width(r) + r.place.col
        right = r.column(f"w_{letter}", column)
        return _dot(r, stage, r.row(_source(r, letter), r.place.row), right, f"b_{letter}")

    return step


def _source(r: Reader, letter: str) -> str:
    """What q, k or v is made of."""
    if letter != "q" and "context" in r.stages:
        return "context"
    return "normed_x" if "normed_x" in r.stages else "x"


def _unrotated(r: Reader, stage: str) -> list[Step]:
    """Of q or k that rotary positions turn: how both columns of its pair were made."""
    name, even = f"unrotated_{stage}", r.place.col - r.place.col % 2
    if name not in r.stages:
        return []
    pair = [Reader(r.trace, replace(r.place, col=col)) for col in (even, even + 1)]
    return [STEPS[name](one) for one in pair]


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
    return _embedded(r, "x", r.trace.embedding, r.trace.position)


def _context(r: Reader) -> Step:
    assert r.trace.context is not None
    return _embedded(r, "context", r.trace.context.embedding, r.trace.context.position)


def _embedded(r: Reader, stage: str, embeddings: np.ndarray, positions: np.ndarray | None) -> Step:
    """An embedding, and the position where one is added to it."""
    p, value = r.place, r.value(stage, None, r.place.row, r.place.col)
    embedding = float(embeddings[p.batch, p.row, p.col])
    operands = [Operand("embedding", 0, None, p.row, p.col, embedding)]
    if positions is None:
        return Step(stage, number(value), operands, value)
    position = float(positions[p.batch, p.row, p.col])
    operands.append(Operand("position", 0, None, p.row, p.col, position))
    expression = f"{number(embedding)} + {signed(position)}"
    return Step(stage, equation(expression, [embedding, position], value), operands, value)


def _scores(r: Reader) -> Step:
    p = r.place
    kv_head = p.head // r.shape.queries_per_kv_head
    return _dot(r, "scores", r.row("q", p.row, p.head), r.row("k", p.col, kv_head), None)


def _scaled_scores(r: Reader) -> Step:
    p, options = r.place, r.trace.plan.options
    operand = r.operand("scores", p.row, p.col, p.head)
    value = r.value("scaled_scores", p.head, p.row, p.col)
    root = f" (1/√{r.shape.d_k})" if r.trace.plan.question.scale == "sqrt_d_k" else ""
    over = "" if options.temperature == 1 else f" ÷ {number(options.temperature)}"
    expression = f"{number(operand.value)} × {signed(options.scale)}{root}{over}"
    read = [operand.value, options.scale, options.temperature]
    operands = [operand]
    if options.positions == "alibi":
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
    total = np.exp(scores - peak).sum()
    own = scores[p.col]
    over = f"exp({number(own)} − {signed(peak)}) / {number(total)}"
    expression = f"exp(s − max) / Σ = {equation(over, [own, peak, total], value)}"
    return Step("weights", expression, operands, value)


def _head_outputs(r: Reader) -> Step:
    p = r.place
    kv_head = p.head // r.shape.queries_per_kv_head
    left, right = r.row("weights", p.row, p.head), r.column("v", p.col, kv_head)
    return _dot(r, "head_outputs", left, right, None)


def _concat(r: Reader) -> Step:
    p = r.place
    head, col = divmod(p.col, r.shape.d_v)
    operand = r.operand("head_outputs", p.row, col, head)
    return Step("concat", number(operand.value), [operand], operand.value)


def _output(r: Reader) -> Step:
    p = r.place
    if "w_o" not in r.parameters:
        operand = r.operand("concat", p.row, p.col)
        return Step("output", number(operand.value), [operand], operand.value)
    return _dot(r, "output", r.row("concat", p.row), r.column("w_o", p.col), "b_o")


def _block_output(r: Reader) -> Step:
    if "middle" in r.stages:
        return _around(r, "block_output", "middle", "mlp_output", MLP, "mlp_norm")
    return _around(r, "block_output", "x", "output", ATTENTION, "norm")


def _middle(r: Reader) -> Step:
    return _around(r, "middle", "x", "output", ATTENTION, "norm")


def _around(r: Reader, stage: str, x: str, f: str, names: Sublayer, norm: str) -> Step:
    """What a kind of block makes of x and f(x)."""
    block = r.trace.plan.model.block
    if block == "attention":
        operand = r.operand(f, r.place.row, r.place.col)
        return Step(stage, number(operand.value), [operand], operand.value)
    if block == "post_norm":
        return _normed(r, stage, names.added, norm)
    return _sum(r, stage, x, names.normed_output if block == "sublayer_norm" else f)


def _sum(r: Reader, stage: str, left: str, right: str) -> Step:
    p = r.place
    value = r.value(stage, None, p.row, p.col)
    operands = [r.operand(name, p.row, p.col) for name in (left, right)]
    read = [one.value for one in operands]
    expression = f"{number(read[0])} + {signed(read[1])}"
    return Step(stage, equation(expression, read, value), operands, value)


def _normed(r: Reader, stage: str, source: str, norm: str) -> Step:
    """(z − mean) / √(variance + ε) × gain + bias; mean and variance are those of the row."""
    p, value = r.place, r.value(stage, None, r.place.row, r.place.col)
    row = r.row(source, p.row)
    gain, bias = (r.operand(f"{norm}_{what}", 0, p.col) for what in ("gain", "bias"))
    z = np.array([one.value for one in row])
    mean, root = float(z.mean()), float(np.sqrt(z.var() + EPSILON))
    expression = (
        f"({number(z[p.col])} − {signed(mean)}) / {number(root)}"
        f" × {signed(gain.value)} + {signed(bias.value)}"
    )
    read = [float(z[p.col]), mean, root, gain.value, bias.value]
    written = f"(z − mean) / √(variance + {EPSILON:g}) = {equation(expression, read, value)}"
    return Step(stage, written, [*row, gain, bias], value)


def _hidden(r: Reader) -> Step:
    source = "normed_middle" if "normed_middle" in r.stages else "middle"
    return _dot(r, "hidden", r.row(source, r.place.row), r.column("w_in", r.place.col), "b_in")


def _activated(r: Reader) -> Step:
    operand = r.operand("hidden", r.place.row, r.place.col)
    value = r.value("activated", None, r.place.row, r.place.col)
    expression = equation(f"gelu({number(operand.value)})", [operand.value], value)
    return Step("activated", expression, [operand], value)


def _mlp_output(r: Reader) -> Step:
    left, right = r.row("activated", r.place.row), r.column("w_out", r.place.col)
    return _dot(r, "mlp_output", left, right, "b_out")


STEPS: dict[str, Callable[[Reader], Step]] = {
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
    "block_output": _block_output,
    "unrotated_q": _projected("unrotated_q", lambda r: r.shape.d_k),
    "unrotated_k": _projected("unrotated_k", lambda r: r.shape.d_k),
    "normed_x": lambda r: _normed(r, "normed_x", "x", "norm"),
    "x_plus_output": lambda r: _sum(r, "x_plus_output", "x", "output"),
    "normed_output": lambda r: _normed(r, "normed_output", "output", "norm"),
    "middle": _middle,
    "normed_middle": lambda r: _normed(r, "normed_middle", "middle", "mlp_norm"),
    "hidden": _hidden,
    "activated": _activated,
    "mlp_output": _mlp_output,
    "middle_plus_mlp": lambda r: _sum(r, "middle_plus_mlp", "middle", "mlp_output"),
    "normed_mlp_output": lambda r: _normed(r, "normed_mlp_output", "mlp_output", "mlp_norm"),
}
