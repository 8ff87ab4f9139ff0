"""Scores as products of query parts and key parts, with σ of the norm frozen (Elhage et al.
2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attnscope.analysis.residual import Part, norm_with_scale_of, parts_of
from attnscope.attention.architecture import Architecture
from attnscope.attention.positions import rotate
from attnscope.errors import InvalidRequest
from attnscope.trace.trace import Trace


@dataclass(frozen=True)
class ScoreParts:
    """`values` [query part][key part] sum to `score`."""

    score: float
    query_parts: list[str]
    key_parts: list[str]
    values: np.ndarray


def score_parts(trace: Trace, layer: int, head: int, batch: int, row: int, col: int) -> ScoreParts:
    """Raises InvalidRequest with a context, or if blocks are no sum."""
    planned = trace.plan
    if planned.context is not None:
        raise InvalidRequest("parts_with_context", at="id")
    shape = planned.model.shape
    queries = _projected(trace, "q", layer, head, batch, row)
    keys = _projected(trace, "k", layer, shape.kv_head_of(head), batch, col)
    values = np.array([[float(q @ k) for _, k in keys] for _, q in queries])
    return ScoreParts(
        float(values.sum()), [name for name, _ in queries], [name for name, _ in keys], values
    )


def _projected(
    trace: Trace, which: str, layer: int, head: int, batch: int, row: int
) -> list[tuple[str, np.ndarray]]:
    planned, p = trace.plan, trace.parameters[layer]
    d_k = planned.model.shape.d_k
    columns = slice(head * d_k, (head + 1) * d_k)
    w = getattr(p, f"w_{which}")[:, columns].astype(np.float64)
    b = getattr(p, f"b_{which}")
    bias = np.zeros(d_k) if b is None else b[columns].astype(np.float64)
    parts = parts_of(trace, layer, batch, row)
    if planned.model.norms_input:
        parts, offset = _normed(parts, p.norm_gain, p.norm_bias, planned.model)
        bias = bias + offset @ w
    bias = bias + sum((one.vector @ w for one in parts if one.kind == "bias"), np.zeros(d_k))
    named = [(part.name, part.vector @ w) for part in parts if part.kind != "bias"]
    if bias.any():
        named.append(("bias", bias))
    architecture = planned.setting.at(layer).architecture
    if architecture.normed_heads:
        whole = sum((part for _, part in named), np.zeros(d_k))
        gain, own = getattr(p, f"{which}_norm_gain"), getattr(p, f"{which}_norm_bias")
        norm, epsilon = architecture.norm, architecture.epsilon
        named = [
            (name, gain * norm_with_scale_of(part, whole, norm, epsilon)) for name, part in named
        ]
        if own is not None:
            rest = [one for one in named if one[0] != "bias"]
            named = [*rest, ("bias", dict(named).get("bias", 0) + own)]
    if architecture.positions != "rotary":
        return named
    places = np.array([planned.setting.place(batch, row)])
    names, vectors = zip(*named, strict=True)
    turned = rotate(np.array(vectors)[None, :, None], architecture.rotary, 1, places)
    return list(zip(names, turned[0, :, 0], strict=True))


def _normed(
    parts: list[Part], gain: np.ndarray | None, bias: np.ndarray | None, architecture: Architecture
) -> tuple[list[Part], np.ndarray]:
    whole = sum((part.vector for part in parts), np.zeros_like(parts[0].vector))
    scale = np.ones_like(whole) if gain is None else gain.astype(np.float64)
    norm, epsilon = architecture.norm, architecture.epsilon
    normed = (norm_with_scale_of(one.vector, whole, norm, epsilon) * scale for one in parts)
    through = [replace(one, vector=vector) for one, vector in zip(parts, normed, strict=True)]
    return through, np.zeros_like(whole) if bias is None else bias.astype(np.float64)
