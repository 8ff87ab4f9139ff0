from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from attnscope.trace.question import Question
from attnscope.weights.layouts.shapes import MAX_HEADS

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
# fail_fast: report one wrong entry, not a million.
Stages = Annotated[list[str], Field(fail_fast=True, max_length=64)]
Layers = Annotated[list[Index], Field(fail_fast=True, max_length=4096)]
Heads = Annotated[list[Index], Field(fail_fast=True, max_length=MAX_HEADS)]


class AttentionRequest(Question):
    """A question, and which part of its trace to send."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    stages: Stages | None = Field(
        None, description="Only these stages, or context; null: all stages."
    )
    layers: Layers | None = Field(None, description="Only these layers; null: all.")
    heads: Heads | None = Field(
        None, description="Only these heads; k and v come with the key/value heads that serve them."
    )
    parameters: bool = Field(False, description="Also send w_q, w_k, w_v, w_o, b_q …")
