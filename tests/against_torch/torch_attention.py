"""A layer in PyTorch, with scaled_dot_product_attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.nn.functional import gelu, layer_norm, linear, relu, scaled_dot_product_attention

from attnscope.trace.trace import Trace
from tests.attention import plain

Tensors = dict[str, torch.Tensor]


def torch_stages(body: dict[str, Any], trace: Trace, layer: int = 0) -> dict[str, np.ndarray]:
    """weights, head_outputs, concat, output and block_output, from x, context and parameters."""
    shape, model = trace.plan.model.shape, trace.plan.model
    p = {name: torch.tensor(a) for name, a in trace.parameters[layer].arrays().items()}
    x = torch.tensor(trace.layers[layer]["x"])
    inside = _norm(x, p, "norm") if model.block == "pre_norm" else x
    asked = torch.tensor(trace.layers[layer]["context"]) if trace.context else inside
    group = shape.num_heads // shape.num_kv_heads
    q = _heads(_project(inside, p, "q"), shape.num_heads)
    k, v = (_heads(_project(asked, p, n), shape.num_kv_heads) for n in "kv")
    if model.positions == "rotary":
        q, k = _rotated(q), _rotated(k)
    k, v = (a.repeat_interleave(group, dim=1) for a in (k, v))
    bias = _bias(model.positions, q, k)
    may_attend = open_cells(body, trace)
    factor = scale_of(body, shape.d_k) / body["temperature"]
    head_outputs = _attention(q, k, v, may_attend, factor, bias)
    # With the identity as values, the outputs are the weights.
    m = asked.shape[1]
    identity = torch.eye(m, dtype=x.dtype).expand(*q.shape[:2], m, m)
    weights = _attention(q, k, identity, may_attend, factor, bias)
    concat = _kept(head_outputs, body, layer).transpose(1, 2).flatten(2)
    output = _project(concat, p, "o") if "w_o" in p else concat
    stages = {"weights": weights, "head_outputs": head_outputs, "concat": concat, "output": output}
    stages["block_output"] = _block(x, output, p, model.block, model.activation)
    return {name: array.numpy() for name, array in stages.items()}


def _kept(head_outputs: torch.Tensor, body: dict[str, Any], layer: int) -> torch.Tensor:
    """Dropped heads become 0."""
    stays = torch.ones(head_outputs.shape[1], dtype=head_outputs.dtype)
    stays[[head for at, head in body.get("drop", []) if at == layer]] = 0
    return head_outputs * stays[:, None, None]


def _block(
    x: torch.Tensor, output: torch.Tensor, p: Tensors, block: str, activation: str
) -> torch.Tensor:
    """With the MLP if there is one."""
    y = _around(x, output, p, block, "norm")
    if "w_in" not in p:
        return y
    z = _norm(y, p, "mlp_norm") if block == "pre_norm" else y
    hidden = linear(z, p["w_in"].T, p.get("b_in"))
    mlp_output = linear(activated(hidden, activation), p["w_out"].T, p.get("b_out"))
    return _around(y, mlp_output, p, block, "mlp_norm")


def activated(hidden: torch.Tensor, activation: str) -> torch.Tensor:
    return relu(hidden) if activation == "relu" else gelu(hidden, approximate="tanh")


def _around(x: torch.Tensor, y: torch.Tensor, p: Tensors, block: str, norm: str) -> torch.Tensor:
    if block == "post_norm":
        return _norm(x + y, p, norm)
    if block == "sublayer_norm":
        return x + _norm(y, p, norm)
    return y if block == "attention" else x + y


def _norm(x: torch.Tensor, p: Tensors, norm: str) -> torch.Tensor:
    return layer_norm(x, x.shape[-1:], p[f"{norm}_gain"], p[f"{norm}_bias"])


def _rotated(a: torch.Tensor) -> torch.Tensor:
    """Column pairs as complex numbers, times e^(iθ)."""
    n, d_k = a.shape[-2:]
    angle = torch.outer(
        torch.arange(n, dtype=torch.float64),
        10000.0 ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k),
    )
    pairs = torch.view_as_complex(a.double().unflatten(-1, (-1, 2)).contiguous())
    turned = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(-2).to(a.dtype)


def _bias(positions: str, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor | float:
    if positions != "alibi":
        return 0.0
    apart = (torch.arange(q.shape[2])[:, None] - torch.arange(k.shape[2])).abs()
    slopes = torch.tensor(plain.slopes(q.shape[1]), dtype=q.dtype)
    return -slopes[:, None, None] * apart


def open_cells(body: dict[str, Any], trace: Trace) -> torch.Tensor:
    """[B, 1 or heads, n, m]: a Boolean attn_mask."""
    n, m = trace.plan.n, trace.plan.m
    unpainted = {**body, "blocked": []}
    cells = torch.tensor(
        [
            [[plain.is_open(unpainted, i, j, queries, keys) for j in range(m)] for i in range(n)]
            for queries, keys in trace.plan.lengths()
        ]
    )
    for i, j in body["blocked"]:
        cells[:, i, j] = False
    given = torch.tensor(body.get("mask", 1)).bool()
    return cells[:, None] & (given[:, None] if given.dim() == 3 else given)


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
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    may_attend: torch.Tensor,
    factor: float,
    bias: torch.Tensor | float,
) -> torch.Tensor:
    """Zeros for a query without keys, which PyTorch leaves undefined (NaN or 0)."""
    added = torch.zeros(may_attend.shape, dtype=q.dtype).masked_fill(~may_attend, -torch.inf) + bias
    answer = scaled_dot_product_attention(q, k, v, attn_mask=added, scale=factor)
    nothing = ~may_attend.any(dim=-1, keepdim=True)
    return answer.masked_fill(nothing, 0.0)
