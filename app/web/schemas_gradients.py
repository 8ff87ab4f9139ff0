"""What is asked of derivatives, and what the replies look like, for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from app.analysis.gradients import Objective
from app.trace.question import Value
from app.web.schemas import Index


class GradientsRequest(Value):
    """One number of the last output, and which derivatives of it to send."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"objective": {"kind": "cell", "row": 0, "col": 0}},
                {"objective": {"kind": "row_norm", "row": 0}, "stages": ["weights"]},
                {"objective": {"kind": "sum"}, "stages": [], "layers": [0]},
            ]
        }
    )

    objective: Annotated[Objective, Field(discriminator="kind")] = Field(
        description="The number that is derived."
    )
    stages: list[str] | None = Field(
        None, description="Only these stages, or context; null: all stages."
    )
    layers: list[Index] | None = Field(None, description="Only these layers; null: all.")
    heads: list[Index] | None = Field(
        None, description="Only these heads; k and v come with the key/value heads that serve them."
    )
    parameters: bool = Field(True, description="Send those of w_q, w_k, w_v, w_o, b_q … too.")


class GradientsReply(BaseModel):
    """The objective and its derivatives."""

    trace: str = Field(description="Content hash of the question.")
    objective: dict[str, Any] = Field(description="As it was asked, but for the cotangent.")
    value: float | None = Field(description="The number that was derived; null if not finite.")
    mathml: dict[str, str] = Field(
        description="Stage or parameter → the formula of its derivative, for this question."
    )
    layers: list[dict[str, Any]] = Field(
        description="Stage name → its derivative, with the stage's own axes; `parameters` likewise."
    )
    context: list[Any] | None = Field(
        None,
        description="With respect to the context: the sum over the layers, which all read it. Left "
        "out in self-attention.",
    )


class JacobianReply(BaseModel):
    """The derivative of a row of weights with respect to its masked scores."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    row: int = Field(description="Query, from 0.")
    weights: list[float | None] = Field(description="The row a of weights, one a key.")
    jacobian: list[list[float | None]] = Field(
        description="diag(a) − aᵀa: row i, column j is ∂aᵢ/∂sⱼ; zeros where a key is masked."
    )
    norm: float | None = Field(
        description="√ of the sum of its squares: near 0 where the softmax is saturated."
    )
