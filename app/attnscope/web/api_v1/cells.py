from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.merged_words import explain_merged, first_pieces
from attnscope.analysis.schema import described, doc
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import Cell, explain
from attnscope.trace.plan import Plan
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Head,
    Layer,
    Merge,
    StageName,
    TraceId,
    recall_weights,
    word_fields,
)
from attnscope.web.api_v1.answers import json_reply, run_on_trace
from attnscope.web.api_v1.schemas import OfWords
from attnscope.web.http.accept_headers import sayer
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.typeset import typeset

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@described
class OperandReply:
    """An operand, mostly a cell of another stage."""

    stage: str = doc(
        "Stage or parameter; or another number, such as embedding, position (terms of the first "
        "x), slope, cos or given."
    )
    layer: int = doc("Layer, from 0.")
    head: int | None = doc("Head along the stage's own head axis.")
    row: int = doc("Row.")
    col: int = doc("Column.")
    value: float | None = doc("null where masked.")


@described
class CellStepReply:
    """One stage on the way to the cell."""

    stage: str = doc("Stage name.")
    expression: str = doc("The arithmetic with its real numbers, rounded.")
    operands: list[OperandReply] = doc("Every number that was read.")
    value: float | None = doc("The result; null where masked.")
    left: list[int] | None = doc(
        "If the stage is a row times a column: where the row is among the operands, [start, end); "
        "else null."
    )
    right: list[int] | None = doc("The same for the column.")
    bias: int | None = doc("Index of the operand that is added to the product; null: none.")
    short: str | None = doc("The expression of such a product, cut to its first terms; else null.")


@described
class CellReply(OfWords):
    """How one cell is computed."""

    value: float | None = doc("null where masked.")
    formula: str = doc("The stage's formula as text.")
    mathml: str = doc("The same as MathML.")
    steps: list[CellStepReply] = doc("The last one gives the cell.")
    masked_because: str | None = doc("Which mask closes the cell, in a sentence.")


@router.get(
    "/traces/{id}/cells/{stage}",
    summary="How one cell was made",
    responses={200: {"model": CellReply}},
)
async def cell(
    request: Request,
    id: TraceId,
    stage: StageName,
    row: Annotated[int, Query(ge=0, description="Along the last axis but one.")],
    col: Annotated[int, Query(ge=0, description="Along the last axis.")],
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
    merging: Merge = None,
) -> Response:
    """Formula and operands of a cell. With tokens=words, row and col are words."""
    place = CellPlace(layer, head, batch, row, col)
    planned = await recall_weights(request, id, stage, merging)
    if merging is None:
        made = await run_on_trace(request, planned, lambda trace: explain(trace, stage, place))
    else:
        made = await run_on_trace(
            request, planned, lambda trace: explain_merged(trace, place, merging)
        )
        place = first_pieces(planned, place)
    data = {
        "value": made.value,
        "formula": made.formula,
        "mathml": typeset(made.latex),
        "steps": made.steps,
        "masked_because": _because(request, planned, place, made),
        **word_fields(planned, layer, batch, merging),
    }
    return json_reply(request, data)


def _because(request: Request, planned: Plan, place: CellPlace, made: Cell) -> str | None:
    if not made.closed_by:
        return None
    setting = planned.setting.at(place.layer)
    mask = setting.options.mask
    values = {
        "row": place.row, "col": place.col, "distance": abs(place.row - place.col),
        **{pattern.name: value for pattern, value in mask.asked},
    }  # fmt: skip
    queries, keys = setting.lengths[place.batch]
    say, said = sayer(request), []
    for name in made.closed_by:
        length = queries if name == "padded_query" else keys
        if name == "padded_key" and planned.attends_to_context(place.layer):
            name = "padded_context"
        said.append(say(f"masked.{name}", {**values, "length": length}))
    return " ".join(said)
