"""Captures of functions: every way to call scaled_dot_product_attention, against plain products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from attnscope.torch_capture import Captured, capture

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
