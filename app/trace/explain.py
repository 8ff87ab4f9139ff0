"""One cell of one stage: its operands, its formula with the real numbers, its upstream cells."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import TooLarge
from app.trace.explain_attention import ATTENTION_STEPS, MOST_OPERANDS, unrotated
from app.trace.explain_block import BLOCK_STEPS
from app.trace.formula_words import formula_words
from app.trace.reader import Place, Reader, Step
from app.trace.stages import BY_NAME
from app.trace.trace import Trace

MAPS = ("scores", "scaled_scores", "masked_scores", "weights")
STEPS = {**ATTENTION_STEPS, **BLOCK_STEPS}


@dataclass(frozen=True)
class Cell:
    """`closed_by` names the masks that close the cell; empty where it is open."""

    value: float
    formula: str
    latex: str
    steps: list[Step]
    closed_by: list[str]


def explain(trace: Trace, stage_name: str, place: Place) -> Cell:
    """Raises UnknownStage, InvalidRequest where the cell is outside the stage, and TooLarge where
    it is made of too many."""
    keys = trace.plan.keys(place.layer) if place.layer < len(trace.layers) else 0
    if stage_name == "head_outputs" and keys > MOST_OPERANDS:
        raise TooLarge("operands", at="stage", estimate=keys, limit=MOST_OPERANDS)
    reader = Reader.at(trace, stage_name, place)
    stage = BY_NAME[stage_name]
    chain = MAPS[: MAPS.index(stage_name) + 1] if stage_name in MAPS else (stage_name,)
    steps = unrotated(reader, stage_name)
    steps += [STEPS[name](reader) for name in chain if name in STEPS]
    closed_by: list[str] = []
    if stage_name in ("masked_scores", "weights"):
        setting = reader.setting
        closed_by = setting.options.mask.closed_by(
            place.row, place.col, setting.lengths[place.batch], place.batch, place.head
        )
    value = reader.value(stage_name, place.head, place.row, place.col)
    later = 0 if trace.plan.model.starts(place.layer) else place.layer
    made = stage.formula_for(formula_words(trace.plan, place.layer), later)
    return Cell(value, made.formula, made.latex, steps, closed_by)
