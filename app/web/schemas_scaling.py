"""What the replies of the scaling laboratory look like."""

from __future__ import annotations

from pydantic import BaseModel, Field


class FiguresReply(BaseModel):
    """What a scale makes of the softmax; null where numbers overflow."""

    variance: float | None = Field(description="Of the open scores.")
    entropy: float | None = Field(description="Of a row of weights, in nats; mean over the rows.")
    largest: float | None = Field(description="Largest weight of a row; mean over the rows.")
    jacobian: float | None = Field(
        description="Frobenius norm of diag(a) − a aᵀ of a row; mean over the rows."
    )


class WidthReply(BaseModel):
    """One d_k, scaled or not."""

    d_k: int = Field(description="Width of q and k.")
    scaled: bool = Field(description="Whether the scores are divided by √d_k.")
    predicted_variance: float = Field(description="1 with the scale, d_k without.")
    figures: FiguresReply = Field(description="As drawn.")


class LaboratoryReply(BaseModel):
    """Softmax rows of random queries and keys."""

    seed: int = Field(description="Names the random numbers.")
    n: int = Field(description="Keys of each query.")
    samples: int = Field(description="Queries for each d_k.")
    uniform: FiguresReply = Field(description="Of equal scores, to compare with.")
    widths: list[WidthReply] = Field(description="d_k = 1, 2, 4 … 1,024, scaled and not.")


class FactorReply(BaseModel):
    """The scale times a factor."""

    factor: float = Field(description="Multiplies the scale, and divides the temperature.")
    scale: float = Field(description="What multiplies the scores then, temperature included.")
    unscaled: bool = Field(description="Whether this takes 1/√d_k away.")
    figures: FiguresReply = Field(description="Of this map.")


class TraceScalingReply(BaseModel):
    """One head's own scores, scaled more and less."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    d_k: int = Field(description="Width of q and k.")
    factors: list[FactorReply] = Field(description="The smallest first; 1 is the trace as it is.")
