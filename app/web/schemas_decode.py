"""What the replies about decoding and shared heads look like."""

from __future__ import annotations

from pydantic import BaseModel, Field


class StepReply(BaseModel):
    """One step of decoding: its new rows, and what it read from the cache."""

    step: int = Field(description="From 0.")
    prefill: bool = Field(description="Whether it takes the prompt, several tokens at once.")
    rows: list[int] = Field(description="[start, end) of the rows made in this step.")
    cached: int = Field(description="Rows of k and v that were there: 0 to cached − 1.")
    tokens: list[str | None] | None = Field(description="The new tokens; null without text.")
    q: list[list[list[float | None]]] = Field(description="[head][new row][d_k].")
    k: list[list[list[float | None]]] = Field(description="[kv_head][row up to end][d_k].")
    v: list[list[list[float | None]]] = Field(description="[kv_head][row up to end][d_v].")
    weights: list[list[list[float | None]]] = Field(description="[head][new row][row up to end].")
    head_outputs: list[list[list[float | None]]] = Field(description="[head][new row][d_v].")
    output: list[list[float | None]] = Field(description="[new row][d_model].")
    cache_bytes: int = Field(description="What all layers' caches take after the step.")
    equal_to_full: float | None = Field(
        description="Largest difference from the full answer, any stage of any layer."
    )


class VariantReply(BaseModel):
    """The cache with another number of key/value heads."""

    name: str = Field(description="mha: one for each head; gqa: shared by groups; mqa: one.")
    num_kv_heads: int = Field(description="Key/value heads.")
    own: bool = Field(description="Whether the trace has so many.")
    bytes: list[int] = Field(description="After each step, all layers together.")


class CacheReply(BaseModel):
    """What a cache takes."""

    bytes_per_row: int = Field(description="k and v of one token, one layer, one key/value head.")
    num_layers: int = Field(description="Layers, each with a cache of its own.")
    variants: list[VariantReply] = Field(description="Side by side, most heads first.")


class DecodeReply(BaseModel):
    """The same tokens one after the other."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    head: int | None = Field(description="The head whose rows are told; null: every head.")
    prefill: int = Field(description="Tokens taken at once in the first step; 0: none.")
    num_steps: int = Field(description="Steps in all; `steps` may hold some of them.")
    equal_to_full: float | None = Field(
        description="Largest difference from the full answer, over all steps; null: infinite."
    )
    cache: CacheReply = Field(description="Bytes, MHA, GQA and MQA side by side.")
    steps: list[StepReply] = Field(description="In order.")


class SharingRowReply(BaseModel):
    """The same weights with fewer key/value heads, each the mean of a group."""

    name: str = Field(description="mha, gqa or mqa.")
    num_kv_heads: int = Field(description="Key/value heads.")
    own: bool = Field(description="Whether the trace has so many: no error but rounding.")
    parameters: int = Field(description="Numbers in w_k and w_v of the layer.")
    cache_bytes: int = Field(description="Of the whole text, all layers together.")
    max_weight_error: float | None = Field(description="Largest |difference| of a weight.")
    max_output_error: float | None = Field(description="Largest |difference| of the output.")
    relative_error: float | None = Field(description="‖difference‖ / ‖output‖, Frobenius norms.")


class SharingReply(BaseModel):
    """MHA → GQA → MQA on the same weights."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    num_heads: int = Field(description="Heads of a layer.")
    variants: list[SharingRowReply] = Field(description="Its own number first, then fewer.")
