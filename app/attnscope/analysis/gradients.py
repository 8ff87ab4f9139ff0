from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from attnscope.attention.architecture import Parameters
from attnscope.attention.backward import backward
from attnscope.attention.layer_context import StoredStages
from attnscope.errors import InvalidRequest, ShapeMismatch, TooLarge
from attnscope.trace.numbers import to_array
from attnscope.trace.plan import GRADIENT_FACTOR, Limits, Plan, megabytes
from attnscope.trace.question import Value
from attnscope.trace.trace import Trace

MOST_KEYS = 512  # longest row of the Jacobian
At = Literal["output", "block_output"]
Index = Annotated[int, Field(ge=0)]
NUMBERS = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
Cotangent = Annotated[
    np.ndarray,
    BeforeValidator(lambda value: to_array(value, "objective.cotangent", (2, 3))),
    PlainSerializer(np.ndarray.tolist),
    WithJsonSchema({"anyOf": [NUMBERS, {"type": "array", "items": NUMBERS}]}),
]


class Derived(Value):
    """Both choices of `at` are equal only if a block is attention alone."""

    at: At = Field("output", description="Which stage of the last layer: output, or block_output.")


class Cell(Derived):
    """One number of the output."""

    kind: Literal["cell"] = Field(description="Which number is differentiated.")
    row: Index = Field(description="Query, from 0.")
    col: Index = Field(description="Column of the output, from 0.")
    batch: Index = Field(0, description="Text of the batch, from 0.")


class RowNorm(Derived):
    """½‖row‖² of one row of the output."""

    kind: Literal["row_norm"] = Field(description="Which number is differentiated.")
    row: Index = Field(description="Query, from 0.")
    batch: Index = Field(0, description="Text of the batch, from 0.")


class Sum(Derived):
    """The sum of the output, padding and all texts of the batch included."""

    kind: Literal["sum"] = Field(description="Which number is differentiated.")


class Custom(Derived):
    """Σ cotangent × output: the cotangent is the derivative with respect to the output."""

    kind: Literal["custom"] = Field(description="Which number is differentiated.")
    cotangent: Cotangent = Field(
        description="Shaped like the output; the batch axis of a single text may be left out."
    )


Objective = Cell | RowNorm | Sum | Custom


@dataclass(frozen=True)
class Gradients:
    value: float
    trace: Trace
    context: np.ndarray | None


def check_objective(planned: Plan, objective: Objective, limits: Limits) -> None:
    """Raise InvalidRequest, ShapeMismatch or TooLarge."""
    if planned.model.encoder_layers:
        raise InvalidRequest("gradients_of_encoder", at="id")
    sizes = planned.batch, planned.n, planned.model.output_width
    for name, size in zip(("batch", "row", "col"), sizes, strict=True):
        place: int = getattr(objective, name, 0)
        if place >= size:
            at = f"objective.{name}"
            raise InvalidRequest("out_of_range", at=at, name=at, value=place, last=size - 1)
    if isinstance(objective, Custom) and _batched(objective.cotangent).shape != sizes:
        raise ShapeMismatch(
            "cotangent", at="objective.cotangent",
            found=_format_shape(objective.cotangent.shape), wanted=_format_shape(sizes),
        )  # fmt: skip
    together = GRADIENT_FACTOR * planned.dense_bytes
    if together > limits.max_trace_bytes:
        most = limits.max_trace_bytes
        raise TooLarge("gradients", estimate=megabytes(together), limit=megabytes(most))


def gradients(trace: Trace, objective: Objective) -> Gradients:
    output = trace.layers[-1][objective.at]
    with np.errstate(over="ignore", invalid="ignore"):
        value, cotangent = value_and_cotangent(output, objective)
    found = backward(trace.layers, trace.parameters, trace.plan.setting, cotangent, objective.at)
    names = {one.name for one in fields(Parameters)}
    stages = [StoredStages({n: a for n, a in g.items() if n not in names}) for g in found]
    tensors = [Parameters(**{n: a for n, a in g.items() if n in names}) for g in found]
    asking = [g["context"] for g in found if "context" in g]
    context = np.sum(asking, axis=0) if asking else None
    return Gradients(value, replace(trace, layers=stages, parameters=tensors), context)


def value_and_cotangent(output: np.ndarray, objective: Objective) -> tuple[float, np.ndarray]:
    cotangent = np.zeros_like(output)
    if isinstance(objective, Cell):
        cell = (objective.batch, objective.row, objective.col)
        cotangent[cell] = 1
        return float(output[cell]), cotangent
    if isinstance(objective, RowNorm):
        row = output[objective.batch, objective.row]
        cotangent[objective.batch, objective.row] = row
        return float(row @ row / 2), cotangent
    if isinstance(objective, Sum):
        cotangent[:] = 1
        return float(output.sum()), cotangent
    cotangent[:] = _batched(objective.cotangent)
    return float((cotangent * output).sum()), cotangent


def _batched(cotangent: np.ndarray) -> np.ndarray:
    return cotangent if cotangent.ndim == 3 else cotangent[None]


def _format_shape(shape: tuple[int, ...]) -> str:
    return " × ".join(str(size) for size in shape)
