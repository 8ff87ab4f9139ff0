"""A question in PyTorch, for autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn.functional import linear

from attnscope.trace.trace import Trace
from tests.against_torch.torch_attention import (
    Tensors,
    _bias,
    _heads,
    _kept,
    _norm,
    _project,
    _rotated,
    activated,
    open_cells,
    scale_of,
)


def torch_gradients(
    body: dict[str, Any], trace: Trace, at: str, cotangent: np.ndarray
) -> tuple[list[dict[str, np.ndarray]], np.ndarray | None]:
    """Derivatives of Σ cotangent × the last layer's stage `at` by layer and name, and by the
    context.

    0 for what does not lead to the number.
    """
    x = torch.tensor(trace.layers[0]["x"], requires_grad=True)
    context = None
    if trace.context is not None:
        context = torch.tensor(trace.layers[0]["context"], requires_grad=True)
    layers = []
    for i, parameters in enumerate(trace.parameters):
        p = {
            name: torch.tensor(array, requires_grad=True)
            for name, array in parameters.arrays().items()
        }
        read = {} if context is None else {"context": context * 1}
        stages = _layer(body, trace, x, p, read, i)
        layers.append({**read, "x": x, **stages, **p})
        x = stages["block_output"]
    for tensors in layers:
        for tensor in tensors.values():
            tensor.retain_grad()
    (layers[-1][at] * torch.tensor(cotangent)).sum().backward()
    found = [{name: _grad(tensor) for name, tensor in tensors.items()} for tensors in layers]
    return found, None if context is None else _grad(context)


def _grad(tensor: torch.Tensor) -> np.ndarray:
    return (torch.zeros_like(tensor) if tensor.grad is None else tensor.grad).numpy()


def _layer(
    body: dict[str, Any], trace: Trace, x: torch.Tensor, p: Tensors, read: Tensors, layer: int
) -> Tensors:
    block = trace.plan.model.block
    inside = _norm(x, p, "norm") if block == "pre_norm" else x
    stages = _attend(body, trace, inside, read.get("context", inside), p, layer)
    y = _around(x, stages["output"], p, block, "norm")
    if "w_in" in p:
        y = stages["middle"] = y * 1  # input of the MLP's sublayer, apart from the output
        z = _norm(y, p, "mlp_norm") if block == "pre_norm" else y
        stages["hidden"] = linear(z, p["w_in"].T, p.get("b_in"))
        stages["activated"] = activated(stages["hidden"], trace.plan.model.activation)
        out = linear(stages["activated"], p["w_out"].T, p.get("b_out"))
        y = _around(y, out, p, block, "mlp_norm")
    return {**stages, "block_output": y}


def _around(x: torch.Tensor, y: torch.Tensor, p: Tensors, block: str, norm: str) -> torch.Tensor:
    if block == "post_norm":
        return _norm(x + y, p, norm)
    if block == "sublayer_norm":
        return x + _norm(y, p, norm)
    return y if block == "attention" else x + y


def _attend(
    body: dict[str, Any], trace: Trace, x: torch.Tensor, asked: torch.Tensor, p: Tensors, layer: int
) -> Tensors:
    shape, positions = trace.plan.model.shape, trace.plan.model.positions
    group = shape.num_heads // shape.num_kv_heads
    q = _heads(_project(x, p, "q"), shape.num_heads)
    k, v = (_heads(_project(asked, p, letter), shape.num_kv_heads) for letter in "kv")
    if positions == "rotary":
        q, k = _rotated(q), _rotated(k)
    each_k, each_v = (a.repeat_interleave(group, dim=1) for a in (k, v))
    scores = q @ each_k.transpose(-1, -2)
    scaled = scores * (scale_of(body, shape.d_k) / body["temperature"])
    scaled = scaled + _bias(positions, q, each_k)
    may_attend = open_cells(body, trace)
    nothing = ~may_attend.any(dim=-1, keepdim=True)
    masked = scaled.masked_fill(~may_attend, -torch.inf)
    # A row of −∞ alone would give NaN.
    weights = masked.masked_fill(nothing, 0.0).softmax(dim=-1).masked_fill(nothing, 0.0)
    head_outputs = weights @ each_v
    concat = _kept(head_outputs, body, layer).transpose(1, 2).flatten(2)
    output = _project(concat, p, "o") if "w_o" in p else concat
    return {
        "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
        "masked_scores": masked, "weights": weights, "head_outputs": head_outputs,
        "concat": concat, "output": output,
    }  # fmt: skip
