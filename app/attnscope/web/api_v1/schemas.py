from __future__ import annotations

from typing import Literal

from attnscope.analysis.schema import described, doc, optional_field


@described
class OfTrace:
    trace: str = doc("Content hash of the question.")


@described
class OfWords:
    words: list[list[int]] | None = optional_field(
        "With tokens=words, positions of the tokens of each word."
    )
    context_words: list[list[int]] | None = optional_field(
        "Words of the context, where its tokens are the keys."
    )


@described
class OfLayer(OfTrace):
    layer: int = doc("Layer, from 0.")
    batch: int = doc("Text of the batch, from 0.")


@described
class OfHead(OfTrace):
    layer: int = doc("Layer, from 0.")
    head: int = doc("Head, from 0.")
    batch: int = doc("Text of the batch, from 0.")


@described
class ShapeReply:
    """Sizes of the trace."""

    batch: int = doc("Texts in the batch.")
    num_layers: int = doc("Layers; of a decoder two for each block.")
    num_heads: int = doc("Heads of a layer.")
    num_kv_heads: int = doc("Key/value heads of a layer.")
    n: int = doc("Query positions.")
    m: int = doc("Key positions.")
    d_model: int | None = doc("Width of x; null if a capture does not contain it.")
    d_k: int | None = doc("Width of q and k, per head; null likewise.")
    d_v: int | None = doc("Width of v, per head; null likewise.")


@described
class ChecksReply:
    """Consistency checks of the numbers."""

    max_row_sum_error: float | None = doc(
        "Largest |row sum − 1| of the weights; like the next two, null if maps are not whole "
        "(`whole_tokens`)."
    )
    fully_masked_rows: int | None = doc("Queries that may attend to nothing.")
    non_finite: int | None = doc("Cells that are NaN or infinite; masked ones not counted.")
    max_reference_error: float | None = doc(
        "Largest difference from plain float64 loops; null if large or captured."
    )


@described
class CaptureChecksReply(ChecksReply):
    """Consistency checks of a capture."""

    max_capture_error: float | None = doc(
        "Largest difference of a captured map from the one that follows from q and k, or from the "
        "maps before it; null if there is nothing to compare."
    )


@described
class ShownOtherwise:
    """A difference from the model's own forward pass."""

    code: str = doc("attention_only, random_words or accepted_keys.")
    message: str = doc("In the reader's language.")


@described
class TraceReply:
    """A trace without its numbers."""

    trace: str = doc("Content hash of the question.")
    tokens: list[list[str | None]] | None = doc(
        "null in padding, without text, and above 4,096 tokens: then /tokens has them."
    )
    context_tokens: list[list[str | None]] | None = doc("null in self-attention.")
    offsets: list[list[list[int] | None]] | None = doc(
        "[start, end) in characters; null in padding, and above 4,096 tokens."
    )
    added: list[list[bool | None]] | None = doc(
        "Whether the model's tokenizer added the token, such as [CLS] or <s>; null in padding, and "
        "where `tokens` is null."
    )
    unknown: list[list[bool | None]] | None = optional_field(
        "Whether the token replaces text that has no piece, as [UNK] does. Left out if none does."
    )
    continues: list[list[bool | None]] | None = optional_field(
        "Whether the token continues the word of the token before it. Left out if none does, "
        "and above 4,096 tokens."
    )
    context_continues: list[list[bool | None]] | None = optional_field(
        "The same for the context's tokens."
    )
    lengths: list[int] = doc("Real tokens in each padded row.")
    context_lengths: list[int] | None = doc("null in self-attention.")
    shape: ShapeReply = doc("Sizes of the trace.")
    scale: float = doc("What multiplies the scores, in the first layer.")
    temperature: float = doc("What divides the scaled scores.")
    dtype: str = doc("float64, float32, float16 or bfloat16: what the stages were computed in.")
    holds: list[str] = doc(
        "Words that choose between the formulas of a stage: for the kind of block, mlp, positions, "
        "scale, the source of x or a context, biases (b_q …), and a mask that closes nothing."
    )
    notes: list[ShownOtherwise] = doc(
        "Differences from the model's own forward pass; usually none."
    )
    whole_tokens: int | None = optional_field(
        "How many tokens this text may have for whole maps; 0 if no length helps. Left out if its "
        "maps are whole."
    )
    gradient_tokens: int | None = optional_field(
        "How many tokens this text may have so that gradients fit. Left out unless its maps are "
        "whole, but too large for gradients."
    )
    sentences: list[list[int | None]] | None = optional_field(
        "0, or 1 in the second sentence, whose offsets count from its own start. Left out where "
        "there is no pair."
    )
    scales: list[float] | None = optional_field(
        "`scale` of each layer. Only for installed models and captures."
    )
    mlp_width: int | None = optional_field(
        "Hidden numbers of the MLP. Left out where there is none."
    )
    attends_to: list[Literal["self", "context"]] | None = optional_field(
        "What each layer attends to. Only for a decoder."
    )
    context_holds: list[str] | None = optional_field(
        "`holds` of the layers of a decoder that attend to the context."
    )
    stages: list[str] | None = optional_field(
        "Of a capture: the stages that were given or can be computed."
    )
    encoder_layers: int | None = optional_field(
        "How many of the first layers are an encoder's: their queries and keys are the context's "
        "tokens. Left out where there is none."
    )
    encoder_holds: list[str] | None = optional_field("`holds` of the layers of an encoder.")
    checks: ChecksReply | CaptureChecksReply = doc("Consistency checks of the numbers.")
    elapsed_ms: float = doc("Milliseconds of the computation.")
