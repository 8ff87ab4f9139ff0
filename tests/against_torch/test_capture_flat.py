"""Captures of maps without an axis of heads, against the weights that the modules return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import LEDConfig, LEDModel, XGLMConfig, XGLMModel

from attnscope.torch_capture import Captured, CaptureError, capture

IDS = torch.arange(6)[None] + 3


class Head(nn.Module):
    """One head, as in lessons that write attention by hand."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, 4), nn.Linear(width, 4)
        self.value, self.dropout = nn.Linear(width, 4), nn.Dropout(0.5)
        self.weights: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) / 2
        closed = torch.ones(scores.shape[1:]).triu(1).bool()
        self.weights = functional.softmax(scores.masked_fill(closed, -torch.inf), dim=-1)
        return self.dropout(self.weights) @ self.value(x)


class Heads(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.heads = nn.ModuleList([Head(width) for _ in range(2)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([head(x) for head in self.heads], -1)


class Joined(nn.Module):
    """Texts and heads on one axis."""

    def __init__(self, product: Any = torch.bmm) -> None:
        super().__init__()
        self.num_heads, self.product = 4, product
        self.w = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q = self.w(x).unflatten(-1, (4, 4)).transpose(1, 2).flatten(0, 1)
        output = self.product(torch.softmax(q @ q.mT, 2), q)
        return output.unflatten(0, (-1, 4)).transpose(1, 2).flatten(2)


def test_modules_of_one_head_are_the_heads_of_a_layer() -> None:
    model = nn.Sequential(Heads(), Heads(), nn.Linear(8, 65), nn.Softmax(-1))
    found = capture(model, None, torch.randn(3, 5, 8))
    assert found.modules == ["0.heads", "1.heads"]
    assert found.weights.shape == (2, 3, 2, 5, 5)
    assert np.isneginf(found.masked_scores[..., 0, 1:]).all()
    for layer, heads in zip(found.weights, (model[0].heads, model[1].heads), strict=True):
        for head, module in enumerate(heads):
            np.testing.assert_array_equal(layer[:, head], module.weights.numpy())


def test_a_list_of_layers_of_one_head_is_not_one_layer() -> None:
    model = nn.Sequential(*(nn.Sequential(nn.Linear(4, 8), Head(8)) for _ in range(3)))
    assert capture(model, None, torch.randn(2, 5, 4)).weights.shape == (3, 2, 1, 5, 5)
    model = nn.Sequential(*(Head(4) for _ in range(3)))
    assert capture(model, None, torch.randn(2, 5, 4)).modules == ["0", "1", "2"]


@pytest.mark.parametrize(
    "product",
    [
        torch.bmm,
        torch.Tensor.bmm,
        lambda a, b: torch.matmul(a, other=b),
        lambda a, b: torch.einsum("bij,bjd->bid", a, b),
    ],
)
def test_texts_and_heads_on_one_axis_are_separated(product: Any) -> None:
    x = torch.randn(2, 5, 16)
    model = Joined(product)
    weights = capture(model, None, x).weights
    q = model.w(x).unflatten(-1, (4, 4)).transpose(1, 2)
    expected = (q @ q.mT).softmax(-1).detach().numpy()
    np.testing.assert_allclose(weights[0], expected, atol=1e-6)


def test_a_softmax_that_multiplies_no_values_is_no_map() -> None:
    class Router(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(4, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (self.gate(x).softmax(-1) @ torch.randn(3, 4)) * x

    with pytest.raises(CaptureError, match="No attention was computed"):
        capture(Router(), None, torch.randn(2, 5, 4))


def test_models_of_transformers_that_join_texts_and_heads() -> None:
    sizes = {"d_model": 16, "ffn_dim": 16, "num_layers": 2, "attention_heads": 4}
    model = XGLMModel(XGLMConfig(vocab_size=20, **sizes)).eval()
    _same(capture(model, None, {"input_ids": IDS}), model(IDS, output_attentions=True).attentions)
    halves = {f"{half}_{key}": n for half in ("encoder", "decoder")
              for key, n in (("layers", 2), ("ffn_dim", 16), ("attention_heads", 2))}  # fmt: skip
    led = LEDModel(LEDConfig(vocab_size=20, d_model=16, attention_window=4, **halves)).eval()
    given = {"input_ids": IDS, "decoder_input_ids": IDS[:, :4]}
    found = led(**given, output_attentions=True)
    _same(capture(led, None, given, part="decoder"), found.decoder_attentions)
    _same(capture(led, None, given, part="cross"), found.cross_attentions)
    with pytest.raises(CaptureError, match="Its attention modules: decoder"):
        capture(led, None, given, part="encoder")


def _same(found: Captured, expected: tuple[torch.Tensor, ...]) -> None:
    np.testing.assert_allclose(found.weights, torch.stack(expected).detach().numpy(), atol=1e-6)
