"""What the replies look like, for OpenAPI; requests are `app.trace.question` and this selection."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.trace.question import Question

DEFAULT_TEXT = "The animal didn't cross the street because it was too tired."
EXAMPLES: list[JsonValue] = [
    {"text": "The cat sat on the mat", "model": {"source": "seeded", "seed": 0}},
    {"text": ["猫爱吃鱼", "鱼爱水"], "model": {"source": "crafted", "name": "previous_token"}},
    {
        "x": [[1, 0], [0, 1]],
        "model": {
            "source": "explicit", "w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]],
            "w_v": [[1, 2], [3, 4]],
        },
        "causal": False,
        "scale": "none",
    },
    {"text": "Die Katze", "context": "The cat sat on the mat"},
]  # fmt: skip

Index = Annotated[int, Field(ge=0)]


class AttentionRequest(Question):
    """A question, and which part of its trace to send."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    stages: list[str] | None = Field(
        None, description="Only these stages, or context; null: all stages."
    )
    layers: list[Index] | None = Field(None, description="Only these layers; null: all.")
    heads: list[Index] | None = Field(
        None, description="Only these heads; k and v come with the key/value heads that serve them."
    )
    parameters: bool = Field(False, description="Send w_q, w_k, w_v, w_o, b_q … too.")


class ShapeReply(BaseModel):
    """Sizes of the trace."""

    batch: int = Field(description="Texts in the batch.")
    num_layers: int = Field(description="Layers.")
    num_heads: int = Field(description="Heads of a layer.")
    num_kv_heads: int = Field(description="Key/value heads of a layer.")
    n: int = Field(description="Query positions.")
    m: int = Field(description="Key positions.")
    d_model: int = Field(description="Width of x.")
    d_k: int = Field(description="Width of q and k, per head.")
    d_v: int = Field(description="Width of v, per head.")


class ChecksReply(BaseModel):
    """What the answer says about its own numbers."""

    max_row_sum_error: float = Field(description="Largest |row sum − 1| of the weights.")
    fully_masked_rows: int = Field(description="Queries that may attend to nothing.")
    non_finite: int = Field(description="Cells that are NaN or infinite; masked ones not counted.")
    max_reference_error: float | None = Field(
        description="Largest difference from plain float64 loops; null if too large for them."
    )


class TraceReply(BaseModel):
    """Everything about a trace but its numbers."""

    trace: str = Field(description="Content hash of the question.")
    tokens: list[list[str | None]] | None = Field(description="null in padding, and without text.")
    context_tokens: list[list[str | None]] | None = Field(description="null in self-attention.")
    offsets: list[list[list[int] | None]] = Field(description="[start, end) in characters.")
    lengths: list[int] = Field(description="Real tokens in each padded row.")
    context_lengths: list[int] | None = Field(description="null in self-attention.")
    shape: ShapeReply = Field(description="Sizes of the trace.")
    scale: float = Field(description="What multiplies the scores.")
    temperature: float = Field(description="What divides the scaled scores.")
    dtype: str = Field(
        description="float64, float32, float16 or bfloat16: what the stages were computed in."
    )
    checks: ChecksReply = Field(description="What the answer says about its own numbers.")
    elapsed_ms: float = Field(description="Time the numbers took, when they were computed.")


class AttentionReply(TraceReply):
    """A trace with its numbers."""

    layers: list[dict[str, Any]] = Field(
        description="Stage name → nested lists, batch axis first; masked cells are null."
    )


class BlockReply(BaseModel):
    """One block of one stage."""

    stage: str = Field(description="Stage name.")
    layer: int = Field(description="Layer, from 0.")
    head: int | None = Field(description="Head, from 0; null where the stage has none.")
    rows: list[int] = Field(description="[start, end) along the last axis but one.")
    cols: list[int] = Field(description="[start, end) along the last axis.")
    values: list[list[float | None]] = Field(description="null where masked.")


class OperandReply(BaseModel):
    """A cell that was read."""

    stage: str = Field(
        description="Stage or parameter; embedding and position make up the first x and the "
        "context, of which k and v are made in cross-attention."
    )
    layer: int = Field(description="Layer, from 0.")
    head: int | None = Field(description="Head along the stage's own head axis.")
    row: int = Field(description="Row.")
    col: int = Field(description="Column.")
    value: float | None = Field(description="null where masked.")


class StepReply(BaseModel):
    """One stage on the way to the cell."""

    stage: str = Field(description="Stage name.")
    expression: str = Field(description="The arithmetic with its real numbers, rounded.")
    operands: list[OperandReply] = Field(description="Every cell that was read.")
    value: float | None = Field(description="The result; null where masked.")


class CellReply(BaseModel):
    """How one cell was made."""

    value: float | None = Field(description="null where masked.")
    formula: str = Field(description="The stage's formula as text.")
    mathml: str = Field(description="The same as MathML.")
    steps: list[StepReply] = Field(description="From the operands to the value.")
    masked_because: str | None = Field(description="Which mask closes the cell, in a sentence.")


class HeadReply(BaseModel):
    """How one head behaves; means over the queries that attend to something."""

    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    entropy: float = Field(description="Of a row of weights, in nats.")
    distance: float | None = Field(
        description="Σ weight × |query − key|, in tokens; null with a context, for its places are "
        "those of another text."
    )
    first: float = Field(description="Weight on the first token.")
    previous: float | None = Field(
        description="Weight on the previous token, queries from 1 on; null with a context."
    )
    own: float | None = Field(description="Weight on the query's own token; null with a context.")


class HeadsReply(BaseModel):
    """Every head of every layer, for one text of the batch."""

    trace: str = Field(description="Content hash of the question.")
    batch: int = Field(description="Text of the batch, from 0.")
    heads: list[HeadReply] = Field(description="Layer by layer, head by head.")


class TensorReply(BaseModel):
    """One tensor of an upload."""

    name: str = Field(description="Name in the file.")
    shape: list[int] = Field(description="Sizes.")
    dtype: str = Field(description="As stored in the file.")


class ModelReply(BaseModel):
    """What was recognised in an upload."""

    id: str = Field(description="Unguessable: whoever has it can use and delete the model.")
    name: str = Field(description="As given with the upload.")
    layout: str = Field(description="Which naming was recognised.")
    shape: dict[str, int] = Field(description="num_layers, num_heads, num_kv_heads, d_model, …")
    dtype: str = Field(description="Widest type among the tensors.")
    tensors: list[TensorReply] = Field(description="Every tensor of the upload.")
    has_embedding: bool = Field(description="Whether tokens have vectors of their own.")
    has_tokenizer: bool = Field(description="Whether a tokenizer came along.")
    bytes: int = Field(description="Size of the arrays in memory.")


class FigureReply(BaseModel):
    """A figure of a source document beside ours."""

    stage: str = Field(description="Stage or parameter.")
    at: dict[str, int] = Field(description="Which part of the stage; empty: all.")
    published: Any = Field(description="As printed, numbers or sizes.")
    computed: Any = Field(description="Ours, computed now.")
    agrees: bool = Field(description="Whether ours rounds to the printed one.")
    why: str | None = Field(description="Where it does not: what went wrong.")


class ExampleReply(BaseModel):
    """A worked example, or a sentence worth looking at."""

    id: str = Field(description="Name in links.")
    title: str = Field(description="In the reader's language.")
    about: str = Field(description="What to look at.")
    question: dict[str, Any] = Field(description="A body for POST /attention.")
    figures: list[FigureReply] = Field(description="Published figures beside ours.")


class ExamplesReply(BaseModel):
    """All of them."""

    examples: list[ExampleReply] = Field(description="In teaching order.")


class AliveReply(BaseModel):
    """The process lives."""

    status: Literal["ok"] = Field(description="ok; no other value is ever sent.")


class ReadyReply(AliveReply):
    """A question can be asked now."""

    store: Literal[True] = Field(description="Uploads can be kept.")
    engine: Literal[True] = Field(description="A question was answered just now.")


class FieldProblem(BaseModel):
    """One place in the request."""

    at: str = Field(description="Path, such as model.w_k.")
    message: str = Field(description="In the reader's language.")


class Problem(BaseModel):
    """RFC 9457; every status of every route."""

    type: str = Field(description="/problems/<code>")
    title: str = Field(description="What kind of problem.")
    status: int = Field(description="The HTTP status again.")
    detail: str = Field(description="What is wrong here, and what to do.")
    code: str = Field(description="For programs; never changes.")
    errors: list[FieldProblem] = Field(description="One a place.")
    request_id: str = Field(description="Also in the X-Request-ID header.")
