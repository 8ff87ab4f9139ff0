"""Shared schemas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from attnscope.analysis.schema import doc


@dataclass(frozen=True)
class OfTrace:
    trace: Annotated[str, doc("Content hash of the question.")]


@dataclass(frozen=True)
class OfLayer(OfTrace):
    layer: Annotated[int, doc("Layer, from 0.")]
    batch: Annotated[int, doc("Text of the batch, from 0.")]


@dataclass(frozen=True)
class OfHead(OfTrace):
    layer: Annotated[int, doc("Layer, from 0.")]
    head: Annotated[int, doc("Head, from 0.")]
    batch: Annotated[int, doc("Text of the batch, from 0.")]


class ShapeReply(BaseModel):
    """Sizes of the trace."""

    batch: int = Field(description="Texts in the batch.")
    num_layers: int = Field(description="Layers; of a decoder two for each block.")
    num_heads: int = Field(description="Heads of a layer.")
    num_kv_heads: int = Field(description="Key/value heads of a layer.")
    n: int = Field(description="Query positions.")
    m: int = Field(description="Key positions.")
    d_model: int | None = Field(description="Width of x; null if a capture does not contain it.")
    d_k: int | None = Field(description="Width of q and k, per head; null likewise.")
    d_v: int | None = Field(description="Width of v, per head; null likewise.")


class ChecksReply(BaseModel):
    """Consistency checks of the numbers."""

    max_row_sum_error: float | None = Field(
        description="Largest |row sum − 1| of the weights; like the next two null above 4,096 "
        "tokens, whose numbers are made when they are looked at."
    )
    fully_masked_rows: int | None = Field(description="Queries that may attend to nothing.")
    non_finite: int | None = Field(
        description="Cells that are NaN or infinite; masked ones not counted."
    )
    max_reference_error: float | None = Field(
        description="Largest difference from plain float64 loops; null if too large for them."
    )


class CaptureChecksReply(ChecksReply):
    """Consistency checks of a capture."""

    max_capture_error: float | None = Field(
        description="Largest difference of a captured map from the one that follows from q and k, "
        "or from the maps before it; null if there is nothing to compare."
    )


class ShownOtherwise(BaseModel):
    """A difference from the model's own forward pass."""

    code: str = Field(description="attention_only, random_words or accepted_keys.")
    message: str = Field(description="In the reader's language.")


class TraceReply(BaseModel):
    """A trace without its numbers."""

    trace: str = Field(description="Content hash of the question.")
    tokens: list[list[str | None]] | None = Field(
        description="null in padding, without text, and above 4,096 tokens: then /tokens has them."
    )
    context_tokens: list[list[str | None]] | None = Field(description="null in self-attention.")
    offsets: list[list[list[int] | None]] | None = Field(
        description="[start, end) in characters; null where `tokens` are for their length."
    )
    added: list[list[bool | None]] | None = Field(
        description="Whether the model's tokenizer added the token, as [CLS] or <s>; null in "
        "padding, and where `tokens` are."
    )
    unknown: list[list[bool | None]] | None = Field(
        None,
        description="Whether the token replaces text that has no piece, as [UNK] does. Left out if "
        "none does.",
    )
    continues: list[list[bool | None]] | None = Field(
        None,
        description="Whether the token goes on with the word of the token before it. Left out if "
        "none does, and above 4,096 tokens.",
    )
    context_continues: list[list[bool | None]] | None = Field(
        None, description="The same of the context's tokens."
    )
    lengths: list[int] = Field(description="Real tokens in each padded row.")
    context_lengths: list[int] | None = Field(description="null in self-attention.")
    shape: ShapeReply = Field(description="Sizes of the trace.")
    scale: float = Field(description="What multiplies the scores, in the first layer.")
    temperature: float = Field(description="What divides the scaled scores.")
    dtype: str = Field(
        description="float64, float32, float16 or bfloat16: what the stages were computed in."
    )
    holds: list[str] = Field(
        description="What chooses between the formulas of a stage: kind of block, mlp, positions, "
        "scale, where x or a context comes from, which biases there are (b_q …), and whether "
        "nothing is masked."
    )
    notes: list[ShownOtherwise] = Field(
        description="Differences from the model's own forward pass; usually none."
    )
    whole_tokens: int | None = Field(
        None,
        description="How many tokens of such a text have whole maps; 0 where fewer help nothing. "
        "Left out where all of this one's are.",
    )
    gradient_tokens: int | None = Field(
        None,
        description="How many tokens of such a text have gradients, where its maps are whole but "
        "too large to be derived. Left out of any other.",
    )
    sentences: list[list[int | None]] | None = Field(
        None,
        description="0, or 1 in the second sentence, whose offsets count from its own start. Left "
        "out where there is no pair.",
    )
    scales: list[float] | None = Field(
        None, description="`scale` of each layer. Left out but for installed models and captures."
    )
    mlp_width: int | None = Field(
        None, description="Hidden numbers of the MLP. Left out where there is none."
    )
    attends_to: list[Literal["self", "context"]] | None = Field(
        None, description="Of each layer, whose keys it has. Left out but for a decoder."
    )
    context_holds: list[str] | None = Field(
        None, description="`holds` of the layers of a decoder that attend to the context."
    )
    stages: list[str] | None = Field(
        default=None, description="Of a capture: the stages that were given or can be computed."
    )
    encoder_layers: int | None = Field(
        None, description="How many of the first layers are an encoder's: their queries and keys "
        "are the context's tokens. Left out where there is none.",
    )  # fmt: skip
    encoder_holds: list[str] | None = Field(
        None, description="`holds` of the layers of an encoder."
    )
    checks: ChecksReply | CaptureChecksReply = Field(
        description="What the answer says about its own numbers."
    )
    elapsed_ms: float = Field(description="Time the numbers took, when they were computed.")
