"""Direct logit attribution: parts of the residual stream that sum to one token's logit.

With σ of the final norm frozen, each part has its own logit (Elhage et al. 2021). No soft cap.
"""

from __future__ import annotations

import numpy as np

from attnscope.analysis.predictions import check_finite, unembedding_of
from attnscope.analysis.residual import norm_with_scale_of, parts_of
from attnscope.analysis.schema import Real, described, doc
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace


@described
class Contributions:
    logit: Real = doc(
        "Sum of all parts in float64, without soft cap; predictions in half precision are rounded."
    )
    embedding: Real = doc("Directly from the token's own embedding.")
    heads: list[list[Real]] = doc("[layer][head].")
    mlps: list[Real] = doc("By layer; empty where there is no MLP.")
    bias: Real = doc("Of the final norm, b_o and the unembedding.")


def logit_is_sum(planned: Plan) -> bool:
    model = planned.model
    plain = model.unembedding is not None and model.unembedding.transform is None
    return plain and model.is_residual_sum


def contributions(trace: Trace, batch: int, row: int, piece: int) -> Contributions:
    """Raises NoPredictions, and InvalidRequest if the logit is no sum or not finite."""
    planned = trace.plan
    head = unembedding_of(planned)
    if head.transform is not None:
        raise InvalidRequest("head_is_no_sum", at="id")
    check_finite(trace.layers[-1]["block_output"][batch, row])
    parts = parts_of(trace, planned.model.num_layers, batch, row)
    y = sum((part.vector for part in parts), np.zeros(planned.model.shape.d_model))
    column = head.matrix[:, piece].astype(np.float64)
    bias, direction = 0.0, column
    if head.norm_gain is not None:
        bias = 0.0 if head.norm_bias is None else float(head.norm_bias @ column)
        direction = norm_with_scale_of(column * head.norm_gain, y, head.norm, head.epsilon)
    if head.bias is not None:
        bias += float(head.bias[piece])
    model = planned.model
    heads = [[0.0] * model.shape.num_heads for _ in range(model.num_layers)]
    mlps = [0.0] * (model.num_layers if model.mlp_width else 0)
    embedding = 0.0
    for part in parts:
        logit = float(part.vector @ direction)
        if part.kind == "head":
            heads[part.layer][part.head] = logit
        elif part.kind == "mlp":
            mlps[part.layer] = logit
        elif part.kind == "bias":
            bias += logit
        else:
            embedding += logit
    logit = embedding + sum(map(sum, heads)) + sum(mlps) + bias
    return Contributions(logit, embedding, heads, mlps, bias)
