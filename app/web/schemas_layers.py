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
