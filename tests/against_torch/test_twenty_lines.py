"""The PyTorch program of the chapter runs, and makes what the engine makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attnscope.learn.chapters.twenty_lines_code import STEPS, program
from attnscope.learn.exercises import compute_trace


def ran(num_heads: int) -> tuple[Mapping[str, np.ndarray], dict[str, Any]]:
    """The engine's stages, and everything that the program made."""
    model = {"source": "seeded", "d_model": 24, "num_heads": num_heads}
    trace = compute_trace({"text": ["a b c d", "e f g h"], "model": model, "causal": True})
    p = trace.parameters[0].arrays()
    made: dict[str, Any] = {name: torch.tensor(p[name]) for name in ("w_q", "w_k", "w_v", "w_o")}
    made |= {"x": torch.tensor(trace.layers[0]["x"]), "h": num_heads}
    exec(program("torch"), made)
    return trace.layers[0], made


@pytest.mark.parametrize("num_heads", [1, 3, 8])
def test_the_torch_program_makes_every_stage(num_heads: int) -> None:
    stages, made = ran(num_heads)
    for step in STEPS:
        ours = made[step.stage].numpy()
        np.testing.assert_allclose(ours, stages[step.stage], rtol=0, atol=1e-12)


def test_one_call_makes_the_same_head_outputs() -> None:
    _, made = ran(3)
    q, k, v = (made[name] for name in "qkv")
    theirs = scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(theirs, made["head_outputs"], rtol=0, atol=1e-12)


def test_view_never_copies_and_fails_behind_a_transpose() -> None:
    _, made = ran(3)
    turned = made["head_outputs"].transpose(1, 2)
    assert turned.data_ptr() == made["head_outputs"].data_ptr()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        turned.view(2, 4, -1)
    assert turned.reshape(2, 4, -1).data_ptr() != turned.data_ptr()
    whole = made["x"] @ made["w_q"]
    assert whole.view(2, 4, 3, -1).data_ptr() == whole.data_ptr()
