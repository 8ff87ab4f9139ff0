"""What the replies about rollout and precision look like."""

from __future__ import annotations

from pydantic import BaseModel, Field


class RolloutReply(BaseModel):
    """Attention rollout of one text."""

    trace: str = Field(description="Content hash of the question.")
    batch: int = Field(description="Text of the batch, from 0.")
    residual: float = Field(description="Share of a row that each layer passes on as it is.")
    layers: list[int] = Field(description="Up to which layer each map goes.")
    maps: list[list[list[float | None]]] = Field(
        description="[layer][row][token]: how a row behind the layer is mixed of the tokens' x."
    )


class StageErrorReply(BaseModel):
    """How far one stage is from float64."""

    stage: str = Field(description="Stage name.")
    largest: float | None = Field(
        description="Largest |difference| from float64; null: a number is finite in one alone."
    )
    non_finite: int = Field(description="Cells that are NaN or infinite; masked ones not counted.")


class SoftmaxReply(BaseModel):
    """A softmax of the head's masked scores, rounded after each operation."""

    overflowed: int = Field(description="Exponentials that are infinite.")
    nan_rows: int = Field(description="Rows that came out as no numbers.")
    largest_error: float | None = Field(
        description="From float64 on the same scores; null where a row is no number."
    )
    weights: list[float | None] | None = Field(
        description="The row that was asked for; null: none was, or a weight that is no number."
    )
    exponentials: list[float | None] | None = Field(
        description="What they are shares of; null: no row was asked for, or an infinite one."
    )


class SoftmaxesReply(BaseModel):
    """Side by side."""

    naive: SoftmaxReply = Field(description="exp(s) / Σ exp(s).")
    stable: SoftmaxReply = Field(description="exp(s − max) / Σ exp(s − max).")


class DtypeReply(BaseModel):
    """The question in one precision."""

    dtype: str = Field(description="float64, float32, float16 or bfloat16.")
    stages: list[StageErrorReply] = Field(description="Every stage of the layer and head.")
    softmax: SoftmaxesReply = Field(description="Naive beside stable.")


class PrecisionReply(BaseModel):
    """What every precision costs one head."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    row: int | None = Field(description="The query whose weights are told; null: none.")
    dtypes: list[DtypeReply] = Field(description="float64 first.")
