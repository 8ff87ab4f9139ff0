from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnscope.attention.layer_context import MAPS
from attnscope.attention.transformer import ATTENTION, MLP, Sublayer
from attnscope.errors import TooLarge
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.cell_reader import CellPlace, Operand, Reader, Step, format_number, signed
from attnscope.trace.explain_attention import (
    ATTENTION_STEPS,
    MOST_OPERANDS,
    copy_step,
    dot,
    given_step,
    norm_step,
    unrotated,
)
from attnscope.trace.formula_words import formula_words
from attnscope.trace.stages import BY_NAME, Stage
from attnscope.trace.trace import Trace


def _block_output(r: Reader) -> Step:
    if "middle" in r.stages:
        return _sublayer_step(r, "block_output", "middle", "mlp_output", MLP)
    return _sublayer_step(r, "block_output", "x", "output", ATTENTION)


def _sublayer_step(r: Reader, stage: str, x: str, f: str, names: Sublayer) -> Step:
    block = r.trace.plan.model.block
    if block == "attention":
        return copy_step(stage, r.operand(f, r.place.row, r.place.col))
    if block == "post_norm":
        return norm_step(r, stage, names.added, names.norm)
    behind = block in ("sublayer_norm", "sandwich_norm")
    return _sum(r, stage, x, names.normed_output if behind else f)


def _sum(r: Reader, stage: str, left: str, right: str) -> Step:
    p = r.place
    operands = [r.operand(name, p.row, p.col) for name in (left, right)]
    expression = f"{format_number(operands[0].value)} + {signed(operands[1].value)}"
    return r.equated(stage, expression, operands)


def _output_norm(r: Reader, names: Sublayer) -> str:
    return names.post_norm if r.trace.plan.model.block == "sandwich_norm" else names.norm


def _normed_middle(r: Reader) -> Step:
    if r.trace.plan.model.block != "parallel":
        return norm_step(r, "normed_middle", "middle", MLP.norm)
    own = MLP.norm if f"{MLP.norm}_gain" in r.parameters else ATTENTION.norm
    return norm_step(r, "normed_middle", "x", own)


def _into_mlp(r: Reader, stage: str) -> Step:
    name = {"hidden": "in"}.get(stage, stage)
    source = "normed_middle" if "normed_middle" in r.stages else "middle"
    right = r.column(f"w_{name}", r.place.col)
    return dot(r, stage, r.row(source, r.place.row), right, f"b_{name}")


def _activated(r: Reader) -> Step:
    operand = r.operand("hidden", r.place.row, r.place.col)
    activation = r.trace.plan.model.activation
    operands = [operand]
    if "gate" in r.stages:
        operands = [r.operand("gate", r.place.row, r.place.col), operand]
    said = format_number(operands[0].value)
    written = f"max({said}, 0)" if activation == "relu" else f"{activation}({said})"
    if len(operands) > 1:
        written += f" × {signed(operand.value)}"
    return r.equated("activated", written, operands)


def _mlp_output(r: Reader) -> Step:
    left, right = r.row("activated", r.place.row), r.column("w_out", r.place.col)
    return dot(r, "mlp_output", left, right, "b_out")


BLOCK_STEPS: dict[str, Callable[[Reader], Step]] = {
    "block_output": _block_output,
    "normed_x": lambda r: norm_step(r, "normed_x", "x", ATTENTION.norm),
    "x_plus_output": lambda r: _sum(r, "x_plus_output", "x", "output"),
    "normed_output": lambda r: norm_step(r, "normed_output", "output", _output_norm(r, ATTENTION)),
    "middle": lambda r: _sublayer_step(r, "middle", "x", "output", ATTENTION),
    "normed_middle": _normed_middle,
    "hidden": lambda r: _into_mlp(r, "hidden"),
    "gate": lambda r: _into_mlp(r, "gate"),
    "activated": _activated,
    "mlp_output": _mlp_output,
    "middle_plus_mlp": lambda r: _sum(r, "middle_plus_mlp", "middle", "mlp_output"),
    "normed_mlp_output": lambda r: norm_step(
        r, "normed_mlp_output", "mlp_output", _output_norm(r, MLP)
    ),
}


ASSIGNED = re.compile(r" = | \\in ")
STEPS = {**ATTENTION_STEPS, **BLOCK_STEPS}


@dataclass(frozen=True)
class Cell:
    value: float
    formula: str
    latex: str
    steps: list[Step]
    closed_by: list[str]


def explain(trace: Trace, stage_name: str, place: CellPlace) -> Cell:
    keys = trace.plan.keys(place.layer) if place.layer < len(trace.layers) else 0
    if stage_name == "head_outputs" and keys > MOST_OPERANDS:
        raise TooLarge("operands", at="stage", estimate=keys, limit=MOST_OPERANDS)
    reader = Reader.at(trace, stage_name, place)
    stage = BY_NAME[stage_name]
    chain = MAPS[: MAPS.index(stage_name) + 1] if stage_name in MAPS else (stage_name,)
    if isinstance(trace.plan, CapturedPlan):
        return explain_captured(reader, trace.plan, chain)
    steps = unrotated(reader, stage_name)
    steps += [step_of(reader, name) for name in chain if name in STEPS or BY_NAME[name].inputs]
    value = reader.value(stage_name)
    later = 0 if trace.plan.model.is_first_of_stack(place.layer) else place.layer
    computed = stage.formula_for(formula_words(trace.plan, place.layer), later)
    return Cell(value, computed.formula, computed.latex, steps, _closed_by(reader, stage_name))


def explain_captured(reader: Reader, planned: CapturedPlan, chain: Sequence[str]) -> Cell:
    """Start at the last captured stage, as earlier ones need not agree."""
    computed = planned.capture.layers[reader.place.layer].computed
    given = [name for name in chain if name not in computed]
    chain = chain[chain.index(given[-1]) :] if given else chain
    steps = [given_step(reader, name) if name in given else step_of(reader, name) for name in chain]
    stage, place = BY_NAME[chain[-1]], reader.place
    value = reader.value(stage.name)
    if stage.name in given:
        symbol = ASSIGNED.split(stage.latex)[0]
        return Cell(value, "given", symbol, steps, _closed_by(reader, stage.name))
    variant = stage.formula_for(formula_words(planned, place.layer), 0)
    return Cell(value, variant.formula, variant.latex, steps, _closed_by(reader, stage.name))


def step_of(reader: Reader, name: str) -> Step:
    return STEPS[name](reader) if name in STEPS else step_by_row(reader, BY_NAME[name])


def step_by_row(reader: Reader, stage: Stage) -> Step:
    """Read inputs at the cell's index along shared axes, in full along others."""
    place, own = reader.place, stage.axes[-2:]
    at = {**dict(zip(own, (place.row, place.col), strict=True)), "none": 0}  # a bias is one row
    operands: list[Operand] = []
    there = reader.stages.keys() | reader.parameters.keys()
    for given in (BY_NAME[name] for name in stage.inputs if name in there):
        row, col = (at.get(axis) for axis in ("none", *given.axes)[-2:])
        head = _head_of(reader, given)
        if row is not None and col is not None:
            operands.append(reader.operand(given.name, row, col, head))
        elif row is not None:
            operands += reader.row(given.name, row, head)
        elif col is not None:
            operands += reader.column(given.name, col, head)
    return reader.equated(stage.name, stage.formula, operands)


def _head_of(reader: Reader, stage: Stage) -> int | None:
    if stage.head_axis == "kv_head":
        return reader.shape.kv_head_of(reader.place.head)
    return reader.head_of(stage.name)


def _closed_by(reader: Reader, stage_name: str) -> list[str]:
    if stage_name not in ("masked_scores", "weights"):
        return []
    place, setting = reader.place, reader.setting
    return setting.options.mask.closed_by(
        place.row, place.col, setting.lengths[place.batch], place.batch, place.head
    )
