from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from attnscope.attention.layer_context import MAPS
from attnscope.errors import TooLarge
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.cell_reader import CellPlace, Operand, Reader, Step
from attnscope.trace.explain_attention import ATTENTION_STEPS, MOST_OPERANDS, given_step, unrotated
from attnscope.trace.explain_block import BLOCK_STEPS
from attnscope.trace.formula_words import formula_words
from attnscope.trace.stages import BY_NAME, Stage
from attnscope.trace.trace import Trace

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
    later = 0 if trace.plan.model.starts(place.layer) else place.layer
    computed = stage.formula_for(formula_words(trace.plan, place.layer), later)
    return Cell(value, computed.formula, computed.latex, steps, _closed_by(reader, stage_name))


def explain_captured(reader: Reader, planned: CapturedPlan, chain: Sequence[str]) -> Cell:
    """Steps start at the last captured stage, which need not agree with earlier ones."""
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
    """Read inputs at the cell's index on axes that they share with the stage, whole on others."""
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
