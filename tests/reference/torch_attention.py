"""The same layer in PyTorch: matrix products, then its own scaled_dot_product_attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from app.trace.run import Trace
from tests.attention import plain


def torch_stages(body: dict[str, Any], trace: Trace, layer: int = 0) -> dict[str, np.ndarray]:
    """weights, head_outputs, concat and output of one layer, out of its x and parameters."""
    shape = trace.plan.model.shape
    p = {name: torch.tensor(a) for name, a in trace.parameters[layer].arrays().items()}
    x = torch.tensor(trace.layers[layer]["x"])
    group = shape.num_heads // shape.num_kv_heads
    q = _heads(_project(x, p, "q"), shape.num_heads)
    k, v = (_heads(_project(x, p, n), shape.num_kv_heads) for n in "kv")
    k, v = (a.repeat_interleave(group, dim=1) for a in (k, v))
    may_attend = open_cells(body, trace)[:, None]
    factor = scale_of(body, shape.d_k) / body["temperature"]
    head_outputs = _attention(q, k, v, may_attend, factor)
    # Values that are the identity bring the weights themselves to light.
    n = x.shape[1]
    identity = torch.eye(n, dtype=x.dtype).expand(*q.shape[:2], n, n)
    weights = _attention(q, k, identity, may_attend, factor)
    concat = head_outputs.transpose(1, 2).flatten(2)
    output = _project(concat, p, "o") if "w_o" in p else concat
    stages = {"weights": weights, "head_outputs": head_outputs, "concat": concat, "output": output}
    return {name: array.numpy() for name, array in stages.items()}


def open_cells(body: dict[str, Any], trace: Trace) -> torch.Tensor:
    """[B, n, n]: a Boolean attn_mask, cell by cell."""
    n, unpainted = trace.plan.words.n, {**body, "blocked": []}
    cells = torch.tensor(
        [
            [[plain.is_open(unpainted, i, j, length, length) for j in range(n)] for i in range(n)]
            for length in trace.plan.words.lengths
        ]
    )
    for i, j in body["blocked"]:
        cells[:, i, j] = False
    return cells


def scale_of(body: dict[str, Any], d_k: int) -> float:
    named = {"sqrt_d_k": 1 / math.sqrt(d_k), "none": 1.0}
    return named[body["scale"]] if isinstance(body["scale"], str) else body["scale"]


def _project(x: torch.Tensor, p: dict[str, torch.Tensor], letter: str) -> torch.Tensor:
    y = torch.matmul(x, p[f"w_{letter}"])
    bias = p.get(f"b_{letter}")
    return y if bias is None else y + bias


def _heads(a: torch.Tensor, heads: int) -> torch.Tensor:
    return a.unflatten(-1, (heads, a.shape[-1] // heads)).transpose(1, 2)


def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, may_attend: torch.Tensor, factor: float
) -> torch.Tensor:
    """A query that may attend to nothing has no answer in PyTorch (NaN or 0, by version): zeros."""
    answer = scaled_dot_product_attention(q, k, v, attn_mask=may_attend, scale=factor)
    nothing = ~may_attend.any(dim=-1, keepdim=True)
    return answer.masked_fill(nothing, 0.0)
