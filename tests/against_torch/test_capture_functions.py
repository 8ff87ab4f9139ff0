"""Captures of functions: every way to call scaled_dot_product_attention, against plain products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention
from transformers import LongformerConfig, LongformerModel

import attnscope
from attnscope.torch_capture import Captured, CaptureError, capture

SDPA = functional.scaled_dot_product_attention
BOUND = 1e-6


class Calling(nn.Module):
    """A model that calls a function with its input, split into 4 heads."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.output: Any = None

    def forward(self, x: torch.Tensor) -> Any:
        self.output = self.function(x.unflatten(-1, (4, -1)).transpose(1, 2))
        return self.output


def captured(function: Callable[..., Any], scale: float = 1.0) -> Captured:
    torch.manual_seed(0)
    return capture(Calling(function), None, scale * torch.randn(2, 5, 16))


def softmax(masked: np.ndarray) -> np.ndarray:
    return torch.from_numpy(masked).softmax(-1).nan_to_num().numpy()


def test_a_bias_of_one_row_is_kept_in_the_scores() -> None:
    bias = torch.zeros(5, 5)
    bias[0, 1] = 3.0
    found = captured(lambda q: SDPA(q, q, q, bias))
    assert np.abs(softmax(found.masked_scores) - found.weights).max() <= BOUND


def test_each_way_to_call_the_function_gives_what_it_computes(subtests: Any) -> None:
    """The model's output is that of PyTorch's function, and q and k give the weights."""
    lower = causal_lower_right(3, 5)
    latents = torch.randn(1, 4, 3, 4)
    cases: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "a scale": lambda q: SDPA(q, q, q, scale=-0.3),
        "groups": lambda q: SDPA(q, q[:, :2], q[:, :2], enable_gqa=True),
        "other groups of v": lambda q: SDPA(q, q[:, :2], q[:, :1], enable_gqa=True),
        "keys shared by heads": lambda q: SDPA(q, q[:, :1], q[:, :1]),
        "keys shared by texts": lambda q: SDPA(q, q[:1], q[:1]),
        "queries shared by texts": lambda q: SDPA(latents, q, q),
        "queries shared by heads": lambda q: SDPA(q[:, :1], q, q),
        "five axes": lambda q: SDPA(q[None].expand(3, -1, -1, -1, -1), q, q),
        "three axes": lambda q: SDPA(q[:, 0], q[:1, 0], q[:1, 0]),
        "two axes": lambda q: SDPA(q[0, 0], q[0, 0], q[0, 0]),
        "a causal bias": lambda q: SDPA(q[:, :, :3], q, q, lower),
        "a mask of PyTorch": lambda q: SDPA(q, q, q, torch.ones(5, 5).tril().bool()),
    }
    with attnscope.Client() as client:
        for case, function in cases.items():
            with subtests.test(case):
                model, x = Calling(function), torch.randn(2, 5, 16)
                found = capture(model, None, x)
                output = model.output
                assert torch.allclose(output, model(x), atol=1e-5)
                assert np.abs(softmax(found.masked_scores) - found.weights).max() <= BOUND
                assert client.capture(found).checks["max_capture_error"] < 1e-5


def test_layers_keep_the_scale_of_each() -> None:
    def twice(q: torch.Tensor) -> torch.Tensor:
        return SDPA(SDPA(q, q, q, scale=0.1), q, q)

    found = captured(twice)
    assert np.allclose(found.scale, [0.1, 0.5])
    with attnscope.Client() as client:
        assert client.capture(found).checks["max_capture_error"] < 1e-5


def test_large_scores_of_half_precision_are_finite() -> None:
    found = captured(lambda q: SDPA(q.half(), q.half(), q.half()), scale=130)
    assert np.isfinite(found.weights).all()
    q = torch.from_numpy(found.q).double()
    expected = (q @ q.mT / 2).softmax(-1).numpy()
    assert np.abs(found.weights - expected).max() < 1e-3


def test_the_minimum_of_half_precision_closes_a_cell() -> None:
    mask = torch.full((5, 5), torch.finfo(torch.float16).min).triu(1).half()
    mask[0, 0] = 1.0  # a bias, so that the scores are kept
    mask[1, 0] = 1.0
    found = captured(lambda q: SDPA(q.half(), q.half(), q.half(), mask))
    assert np.isneginf(found.masked_scores[..., 0, 1:]).all()
    assert np.isfinite(found.masked_scores[..., 4, :]).all()


def test_arrays_do_not_change_with_the_tensors_of_the_model() -> None:
    """A model may change its tensors in place, and an array of a capture may be changed."""
    latents = nn.Parameter(torch.randn(2, 4, 3, 4))
    before = latents.detach().clone()
    found = captured(lambda q: SDPA(latents, q, q))
    found.layers[0]["q"][:] = 0
    assert torch.equal(latents, before)
    found = captured(lambda q: (q @ q.mT).softmax(-1).mul_(2))
    assert np.allclose(found.weights.sum(-1), 1)
    found = captured(lambda q: torch.special.softmax(q @ q.mT, -1))
    assert np.allclose(found.weights.sum(-1), 1)


def test_a_batch_is_named_by_a_list_for_each_text() -> None:
    named = [list("abcde"), list("vwx")]
    model = Calling(lambda q: SDPA(q, q, q))
    found = capture(model, None, torch.randn(2, 5, 16), tokens=named)
    with attnscope.Client() as client:
        assert client.capture(found).tokens == [named[0], [*named[1], None, None]]


def test_nested_tensors_are_refused() -> None:
    def nested(q: torch.Tensor) -> torch.Tensor:
        texts = torch.nested.nested_tensor(
            [q[0].transpose(0, 1), q[1, :, :3].transpose(0, 1)], layout=torch.jagged
        )
        rows = texts.transpose(1, 2)
        return SDPA(rows, rows, rows)

    with pytest.raises(CaptureError, match="padded ones"):
        captured(nested)


class Attending(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.inner, self.function = nn.Linear(16, 16), function

    def forward(self, x: torch.Tensor) -> Any:
        q = self.inner(x).unflatten(-1, (4, -1)).transpose(1, 2)
        return x + self.function(q, q, q).transpose(1, 2).flatten(2)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_a_layer_of_flex_attention_is_refused_unless_others_are_chosen() -> None:
    model = nn.Sequential(Attending(SDPA), Attending(flex_attention), Attending(SDPA))
    x = torch.randn(1, 5, 16)
    with pytest.raises(CaptureError, match=r"^1 attends by flex_attention.*part="):
        capture(model, None, x)
    assert capture(model, None, x, part="0").modules == ["0"]


def test_the_name_of_a_module_chooses_it_and_what_is_in_it(subtests: Any) -> None:
    """Of two towers with the same names, and of eleven layers."""

    class Towers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.visual = nn.ModuleDict({"transformer": self._tower(1)})
            self.transformer = self._tower(11)

        def _tower(self, layers: int) -> nn.Sequential:
            return nn.Sequential(*(Attending(SDPA) for _ in range(layers)))

        def forward(self, x: torch.Tensor) -> Any:
            return self.visual["transformer"](x[:, :3]), self.transformer(x)

    every = [f"transformer.{i}" for i in range(11)]
    cases = {
        "transformer": every,
        "transformer.1": ["transformer.1"],
        "visual": ["visual.transformer.0"],
        "mer.1": ["transformer.1", "transformer.10"],
    }
    for part, expected in cases.items():
        with subtests.test(part):
            assert capture(Towers(), None, torch.randn(1, 5, 16), part=part).modules == expected


def test_windows_of_keys_are_no_maps() -> None:
    """Longformer's softmax is over [B, n, h, keys of a window]."""
    config = LongformerConfig(vocab_size=99, hidden_size=32, num_hidden_layers=1, pad_token_id=0,
                              num_attention_heads=4, intermediate_size=40, attention_window=4,
                              max_position_embeddings=64)  # fmt: skip
    with pytest.raises(CaptureError, match="No attention was computed that can be captured"):
        capture(LongformerModel(config), None, {"input_ids": torch.arange(5, 14)[None]})
