"""200 random questions, live against PyTorch's scaled_dot_product_attention.

`make test-reference` runs this; `make test` compares with figures that make_golden.py keeps.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from attnscope.attention.architecture import EPSILON
from attnscope.attention.dtypes import Grid, round_to_grid
from tests.against_torch.make_golden import FILE, SEEDS, case
from tests.against_torch.torch_attention import torch_stages
from tests.questions import (
    Body,
    ask,
    cross_question,
    patterned_question,
    random_question,
    written_out,
)

# Most are short, and every tenth is longer than a block of rows.
QUESTIONS = [(seed, 150 if seed % 10 == 0 else 24) for seed in range(1000, 1200)]
TOLERANCES = {"float64": 1e-12, "float32": 1e-5}
NORM = math.sqrt(1 / EPSILON)  # a norm of nearly equal numbers widens a rounding as many times


def compare(body: Body, dtype: str) -> None:
    trace = ask({**body, "dtype": dtype})
    normed = trace.plan.model.block not in ("attention", "residual")
    for layer, stages in enumerate(trace.layers):
        # Softmax turns the last bit of a score of a thousand into as large a share of a weight.
        last_bit = np.finfo(dtype).eps * np.abs(stages["scaled_scores"]).max()
        tolerance = max(TOLERANCES[dtype], last_bit) * (NORM if normed else 1)
        for name, array in torch_stages(body, trace, layer).items():
            assert stages[name].dtype == array.dtype == np.dtype(dtype)
            np.testing.assert_allclose(
                stages[name], array, rtol=tolerance, atol=tolerance, err_msg=f"{layer} {name}"
            )


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("seed", "longest"), QUESTIONS)
def test_a_random_question_is_answered_as_torch_does(seed: int, longest: int, dtype: str) -> None:
    compare(random_question(seed, longest), dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("seed", "longest"), QUESTIONS[::2])
def test_a_text_asks_another_as_torch_does(seed: int, longest: int, dtype: str) -> None:
    compare(cross_question(seed, longest), dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("seed", "longest"), QUESTIONS[::2])
def test_a_question_with_patterns_is_answered_as_torch_does(
    seed: int, longest: int, dtype: str
) -> None:
    compare(patterned_question(seed, longest), dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("shape", [(4, 4), (2, 1, 4), (2, 1, 4, 4), (2, 6, 4, 4)])
def test_a_given_mask_is_the_attn_mask_of_torch(shape: tuple[int, ...], dtype: str) -> None:
    model = {"source": "seeded", "d_model": 24, "num_heads": 6, "num_kv_heads": 2, "num_layers": 2}
    options = {"causal": False, "window": None, "prefix": 0, "blocked": [], "scale": "sqrt_d_k",
               "temperature": 0.7}  # fmt: skip
    mask = np.random.default_rng(len(shape)).integers(0, 2, shape).tolist()
    body = {"tokens": [["a", "b", "c", "d"], ["e", "f"]], "model": model, "mask": mask, **options}
    compare(body, dtype)
    compare({**body, "padding": "keys"}, dtype)


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "rotary", "alibi"])
def test_an_explicit_model_has_its_positions_as_torch_does(positions: str) -> None:
    model = {"source": "seeded", "d_model": 24, "num_heads": 6, "num_kv_heads": 2, "bias": True,
             "positions": positions}  # fmt: skip
    options = {"causal": True, "window": None, "prefix": 0, "blocked": [], "scale": "sqrt_d_k",
               "temperature": 0.7, "context_length": None}  # fmt: skip
    body = {"tokens": [["a", "b", "c", "d"], ["e", "f"]], "model": model, **options}
    compare(written_out(body), "float64")


def test_the_questions_have_masked_rows_padding_groups_and_lengths() -> None:
    traces = [ask(random_question(seed, longest)) for seed, longest in QUESTIONS]
    shapes = [trace.plan.model.shape for trace in traces]
    assert sum(trace.checks.fully_masked_rows > 0 for trace in traces) > 20
    assert sum(min(t.plan.words.lengths) < t.plan.words.n for t in traces) > 50
    assert sum(shape.num_kv_heads < shape.num_heads for shape in shapes) > 50
    assert sum(trace.plan.words.n > 128 for trace in traces) > 5
    assert len({trace.plan.words.n for trace in traces}) > 20
    assert len({shape.num_heads for shape in shapes}) >= 5


@pytest.mark.parametrize("grid", ["float16", "bfloat16"])
def test_half_precision_rounds_as_torch_does(grid: Grid) -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**32, 200_000, dtype=np.uint32)
    numbers = bits.view(np.float32)
    theirs = torch.tensor(numbers).to(getattr(torch, grid)).float().numpy()
    np.testing.assert_array_equal(round_to_grid(numbers.copy(), grid), theirs)


@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("block", ["pre_norm", "post_norm"])
def test_layers_with_norms_and_mlp_are_those_of_a_torch_encoder(
    block: str, activation: str
) -> None:
    """torch.nn.TransformerEncoderLayer with our parameters, layer on layer."""
    model = {"source": "seeded", "d_model": 24, "num_heads": 3, "num_layers": 3, "bias": True,
             "block": block, "mlp": True, "activation": activation}  # fmt: skip
    trace = ask({"tokens": [["a", "b", "c", "d"]], "model": model, "causal": False})
    x = torch.tensor(trace.layers[0]["x"])
    for parameters, stages in zip(trace.parameters, trace.layers, strict=True):
        x = encoder_layer(parameters.arrays(), block, activation)(x)
        np.testing.assert_allclose(stages["block_output"], x.numpy(), rtol=1e-12, atol=1e-12)


def encoder_layer(
    p: dict[str, np.ndarray], block: str, activation: str
) -> torch.nn.TransformerEncoderLayer:
    layer = torch.nn.TransformerEncoderLayer(
        24, 3, 96, dropout=0.0, batch_first=True, norm_first=block == "pre_norm",
        activation={"gelu": torch.nn.GELU("tanh"), "relu": torch.nn.ReLU()}[activation],
        dtype=torch.float64,
    )  # fmt: skip
    ours = {
        "self_attn.in_proj_weight": np.concatenate([p["w_q"], p["w_k"], p["w_v"]], axis=1).T,
        "self_attn.in_proj_bias": np.concatenate([p["b_q"], p["b_k"], p["b_v"]]),
        "self_attn.out_proj.weight": p["w_o"].T, "self_attn.out_proj.bias": p["b_o"],
        "linear1.weight": p["w_in"].T, "linear1.bias": p["b_in"],
        "linear2.weight": p["w_out"].T, "linear2.bias": p["b_out"],
        "norm1.weight": p["norm_gain"], "norm1.bias": p["norm_bias"],
        "norm2.weight": p["mlp_norm_gain"], "norm2.bias": p["mlp_norm_bias"],
    }  # fmt: skip
    layer.load_state_dict({name: torch.tensor(array) for name, array in ours.items()})
    return layer.requires_grad_(False)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_golden_file_is_what_torch_says_today(seed: int) -> None:
    kept = {entry["seed"]: entry for entry in json.loads(FILE.read_text(encoding="utf-8"))}
    fresh = case(seed)
    assert fresh["question"] == kept[seed]["question"]
    for name, array in fresh["stages"].items():
        np.testing.assert_allclose(kept[seed]["stages"][name], array, rtol=1e-12, atol=1e-12)


def test_a_row_of_nothing_is_no_number_in_torch() -> None:
    assert torch.full((1, 3), -torch.inf).softmax(-1).isnan().all()
