from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from attnscope.attention.architecture import NormKind
from attnscope.attention.attend import split_heads
from attnscope.errors import InvalidRequest
from attnscope.trace.trace import Trace

Kind = Literal["embedding", "head", "mlp", "bias"]


@dataclass(frozen=True)
class Part:
    """`vector` [d_model] is in float64."""

    kind: Kind
    vector: np.ndarray
    layer: int = 0
    head: int = 0

    @property
    def name(self) -> str:
        if self.kind == "head":
            return f"L{self.layer}H{self.head}"
        return f"mlp {self.layer}" if self.kind == "mlp" else self.kind


def parts_of(trace: Trace, layer: int, batch: int, row: int) -> list[Part]:
    """Parts that sum to x of `layer`, or to the last block output if `layer` is num_layers. Raises
    InvalidRequest if blocks are no sum."""
    if layer and not trace.plan.model.is_residual_sum:
        raise InvalidRequest("no_residual_sum", at="id", block=trace.plan.model.block)
    encoder = trace.plan.model.encoder_layers
    first = encoder if layer >= encoder else 0  # a decoder starts from its own embedding
    parts = [Part("embedding", trace.layers[first]["x"][batch, row].astype(np.float64))]
    bias = np.zeros_like(parts[0].vector)
    for below in range(first, layer):
        p, stages = trace.parameters[below], trace.layers[below]
        written, of_mlp = _post_norm_factor(trace, below, batch, row), "normed_mlp_output"
        parts += [replace(one, vector=one.vector * written)
                  for one in _heads(trace, below, batch, row)]  # fmt: skip
        bias = bias if p.b_o is None else bias + p.b_o * written
        if p.w_in is not None:
            of_mlp = of_mlp if of_mlp in stages else "mlp_output"
            parts.append(Part("mlp", stages[of_mlp][batch, row].astype(np.float64), below))
    return [*parts, Part("bias", bias)] if bias.any() else parts


def norm_with_scale_of(
    a: Float[np.ndarray, " d"], whole: Float[np.ndarray, " d"], norm: NormKind, epsilon: float
) -> Float[np.ndarray, " d"]:
    """Normalise the part `a` with the σ of `whole`."""
    if norm == "rms":
        through: np.ndarray = a / np.sqrt(np.square(whole).mean() + epsilon)
        return through
    centred: np.ndarray = (a - a.mean()) / np.sqrt(whole.var() + epsilon)
    return centred


def _post_norm_factor(trace: Trace, layer: int, batch: int, row: int) -> np.ndarray | float:
    architecture = trace.plan.model
    if architecture.block != "sandwich_norm":
        return 1.0
    output = trace.layers[layer]["output"][batch, row].astype(np.float64)
    gain = trace.parameters[layer].post_norm_gain
    gain = np.ones_like(output) if gain is None else gain
    return norm_with_scale_of(gain, output, "rms", architecture.epsilon)


def _heads(trace: Trace, layer: int, batch: int, row: int) -> list[Part]:
    concat = trace.layers[layer]["concat"][batch : batch + 1, row : row + 1].astype(np.float64)
    heads = trace.plan.model.shape.num_heads
    w_o = trace.parameters[layer].w_o
    matrix = np.eye(concat.shape[-1]) if w_o is None else w_o.astype(np.float64)
    rows = matrix.reshape(heads, -1, matrix.shape[1])
    each = split_heads(concat, heads)[0, :, 0]
    return [Part("head", each[h] @ rows[h], layer, h) for h in range(heads)]
