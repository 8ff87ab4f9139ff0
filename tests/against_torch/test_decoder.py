"""Decoder blocks against PyTorch's own TransformerDecoderLayer, and its autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import MultiheadAttention, TransformerDecoderLayer
from torch.nn.functional import gelu, relu

from attnscope.analysis.gradients import Custom, gradients
from attnscope.attention.architecture import Parameters
from attnscope.trace.trace import Trace
from tests.questions import Body, ask

D, HEADS = 12, 3
TOLERANCES = {"float64": 1e-12, "float32": 1e-5}
TEXTS: Body = {"tokens": [["a", "b", "c", "d"], ["e", "f"]], "padding": "keys",
               "context_tokens": [["u", "v", "w", "x", "y"], ["z", "u", "v"]]}  # fmt: skip
CLOSED = [[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 0, 1, 0, 1], [1, 1, 1, 0, 0]]
WAYS: list[tuple[str, str, Body]] = [
    ("post_norm", "relu", {}),
    ("pre_norm", "gelu", {}),
    ("post_norm", "gelu", {"context_mask": CLOSED, "causal": False}),
    ("pre_norm", "relu", {"mask": [[1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 0, 1], [1, 0, 1, 1]]}),
]


def body_of(norm: str, activation: str, more: Body) -> Body:
    model = {"source": "seeded", "d_model": D, "num_heads": HEADS, "num_layers": 2, "bias": True,
             "block": "decoder", "norm": norm, "activation": activation}  # fmt: skip
    return {**TEXTS, **more, "model": model}


def _attention(its: MultiheadAttention, p: Parameters) -> None:
    """Ours are rows times a matrix, theirs a matrix times columns."""
    tensors = p.arrays()
    its.in_proj_weight.data = torch.tensor(np.concatenate([tensors[f"w_{n}"].T for n in "qkv"]))
    its.in_proj_bias.data = torch.tensor(np.concatenate([tensors[f"b_{n}"] for n in "qkv"]))
    its.out_proj.weight.data = torch.tensor(tensors["w_o"].T.copy())
    its.out_proj.bias.data = torch.tensor(tensors["b_o"])


def _layer(asks_itself: Parameters, asks_context: Parameters, body: Body) -> Any:
    model = body["model"]

    def tanh(x: torch.Tensor) -> torch.Tensor:
        return gelu(x, approximate="tanh")

    layer = TransformerDecoderLayer(
        D, HEADS, 4 * D, dropout=0.0, activation=relu if model["activation"] == "relu" else tanh,
        batch_first=True, norm_first=model["norm"] == "pre_norm",
    )  # fmt: skip
    _attention(layer.self_attn, asks_itself)
    _attention(layer.multihead_attn, asks_context)
    tensors = asks_context.arrays()
    for its, ours in ((layer.linear1, "in"), (layer.linear2, "out")):
        its.weight.data = torch.tensor(tensors[f"w_{ours}"].T.copy())
        its.bias.data = torch.tensor(tensors[f"b_{ours}"])
    return layer.to(torch.tensor(tensors["w_q"]).dtype)


def torch_blocks(body: Body, trace: Trace) -> tuple[list[Any], list[torch.Tensor]]:
    """Their layers, and [x, context, output of each block]."""
    first, asking = trace.layers[0], trace.layers[1]
    x = torch.tensor(first["x"], requires_grad=True)
    context = torch.tensor(asking["context"], requires_grad=True)
    closed = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
    if body.get("causal") is False:
        closed = torch.zeros(4, 4, dtype=torch.bool)
    if "mask" in body:
        closed = closed | ~torch.tensor(body["mask"], dtype=torch.bool)
    mask = None if "context_mask" not in body else ~torch.tensor(CLOSED, dtype=torch.bool)
    padded, padded_context = (
        torch.arange(size)[None] >= torch.tensor(lengths)[:, None]
        for size, lengths in ((4, [4, 2]), (5, [5, 3]))
    )
    layers, made = [], [x, context]
    for i in range(0, len(trace.parameters), 2):
        layer = _layer(trace.parameters[i], trace.parameters[i + 1], body)
        out = layer(
            made[-1] if i else x, context, tgt_mask=closed, memory_mask=mask,
            tgt_key_padding_mask=padded, memory_key_padding_mask=padded_context,
        )  # fmt: skip
        layers.append(layer)
        made.append(out)
    return layers, made


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("norm", "activation", "more"), WAYS)
def test_a_decoder_is_the_decoder_of_torch(
    norm: str, activation: str, more: Body, dtype: str
) -> None:
    body = body_of(norm, activation, more)
    trace = ask({**body, "dtype": dtype})
    _, made = torch_blocks(body, trace)
    for i, theirs in enumerate(made[2:]):
        ours = trace.layers[2 * i + 1]["block_output"]
        np.testing.assert_allclose(
            ours, theirs.detach().numpy(), rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype]
        )


@pytest.mark.parametrize(("norm", "activation", "more"), WAYS)
def test_its_derivatives_are_those_of_autograd(norm: str, activation: str, more: Body) -> None:
    body = body_of(norm, activation, more)
    trace = ask({**body, "dtype": "float64"})
    layers, made = torch_blocks(body, trace)
    cotangent = np.random.default_rng(1).normal(size=made[-1].shape)
    (made[-1] * torch.tensor(cotangent)).sum().backward()
    found = gradients(trace, Custom(kind="custom", at="block_output", cotangent=cotangent.tolist()))
    x, context = (tensor.grad for tensor in made[:2])
    pairs = [(found.trace.layers[0]["x"], x), (found.context, context)]
    for i, layer in enumerate(layers):
        own, asking = (found.trace.parameters[2 * i + at].arrays() for at in (0, 1))
        for p, its in ((own, layer.self_attn), (asking, layer.multihead_attn)):
            joined = np.concatenate([p[f"w_{n}"].T for n in "qkv"])
            pairs += [(joined, its.in_proj_weight.grad), (p["w_o"].T, its.out_proj.weight.grad)]
            pairs += [(p["b_o"], its.out_proj.bias.grad)]
        pairs += [(asking["w_in"].T, layer.linear1.weight.grad)]
        pairs += [(asking["mlp_norm_gain"], layer.norm3.weight.grad)]
        pairs += [(own["norm_gain"], layer.norm1.weight.grad)]
    for ours, theirs in pairs:
        assert theirs is not None
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-10, atol=1e-10)
