"""One cell of one stage: operands, formula with numbers, upstream cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from attnscope.errors import TooLarge
from attnscope.trace.captured import CapturedPlan
from attnscope.trace.cell_reader import Place, Reader, Step
from attnscope.trace.explain_attention import ATTENTION_STEPS, MOST_OPERANDS, given_step, unrotated
from attnscope.trace.explain_block import BLOCK_STEPS
from attnscope.trace.formula_words import formula_words
from attnscope.trace.stages import BY_NAME
from attnscope.trace.trace import Trace

MAPS = ("scores", "scaled_scores", "masked_scores", "weights")
ASSIGNED = re.compile(r" = | \\in ")
STEPS = {**ATTENTION_STEPS, **BLOCK_STEPS}


@dataclass(frozen=True)
class Cell:
    """An explained cell; `closed_by`: the masks that close it."""

    value: float
    formula: str
    latex: str
    steps: list[Step]
    closed_by: list[str]


def explain(trace: Trace, stage_name: str, place: Place) -> Cell:
    """Raise UnknownStage, InvalidRequest outside the stage, TooLarge for too many operands."""
    keys = trace.plan.keys(place.layer) if place.layer < len(trace.layers) else 0
    if stage_name == "head_outputs" and keys > MOST_OPERANDS:
        raise TooLarge("operands", at="stage", estimate=keys, limit=MOST_OPERANDS)
    reader = Reader.at(trace, stage_name, place)
    stage = BY_NAME[stage_name]
    chain = MAPS[: MAPS.index(stage_name) + 1] if stage_name in MAPS else (stage_name,)
    if isinstance(trace.plan, CapturedPlan):
        return explain_captured(reader, trace.plan, chain)
    steps = unrotated(reader, stage_name)
    steps += [STEPS[name](reader) for name in chain if name in STEPS]
    value = reader.value(stage_name, place.head, place.row, place.col)
    later = 0 if trace.plan.model.starts(place.layer) else place.layer
    made = stage.formula_for(formula_words(trace.plan, place.layer), later)
    return Cell(value, made.formula, made.latex, steps, _closed_by(reader, stage_name))


def explain_captured(reader: Reader, planned: CapturedPlan, chain: Sequence[str]) -> Cell:
    """`chain` ends with the requested stage. A captured stage that differs from its operands has
    only its number."""
    made = planned.capture.layers[reader.place.layer].made
    given = [name for name in chain if name not in made]
    chain = chain[chain.index(given[-1]) :] if given else chain
    steps = [given_step(reader, name) if name in given else STEPS[name](reader) for name in chain]
    stage, place = BY_NAME[chain[-1]], reader.place
    value = reader.value(stage.name, place.head, place.row, place.col)
    if stage.name in given:
        symbol = ASSIGNED.split(stage.latex)[0]
        return Cell(value, "given", symbol, steps, _closed_by(reader, stage.name))
    told = stage.formula_for(formula_words(planned, place.layer), 0)
    return Cell(value, told.formula, told.latex, steps, _closed_by(reader, stage.name))


def _closed_by(reader: Reader, stage_name: str) -> list[str]:
    if stage_name not in ("masked_scores", "weights"):
        return []
    place, setting = reader.place, reader.setting
    return setting.options.mask.closed_by(
        place.row, place.col, setting.lengths[place.batch], place.batch, place.head
    )
