"""The formula of every derivative says what backward.py does for that question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from latex2mathml.converter import convert

from attnscope.analysis import gradient_formulas
from attnscope.analysis.gradient_formulas import formulas
from attnscope.analysis.gradients import Custom, gradients
from tests.questions import SEEDS, ask, cross_question, random_question


def asked(**model: Any) -> dict[str, str]:
    return formulas(ask({"text": "a b", "model": {"source": "seeded", **model}}))


@pytest.mark.parametrize("seeds", SEEDS)
def test_every_stage_and_parameter_of_any_question_has_a_formula(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for question, seed in product((random_question, cross_question), seeds):
        with subtests.test(question.__name__, seed=seed):
            trace = ask(question(seed))
            lines = formulas(trace)
            assert set(lines) == {*trace.plan.stages, *trace.parameters[0].arrays()}
            for name, latex in lines.items():
                assert convert(latex).startswith("<math"), name
                assert latex.count("=") == 1, name


def test_the_formulas_follow_the_question() -> None:
    assert asked()["x"] == (r"\nabla_X = \nabla_Q W_Q^\top + \nabla_K W_K^\top + \nabla_V W_V^\top")
    assert asked(block="residual")["x"].startswith(r"\nabla_X = \nabla_{X'} + ")
    assert asked(block="residual", mlp=True)["x"].startswith(r"\nabla_X = \nabla_{Y} + ")
    assert r"\mathrm{LN}(X)^\top" in asked(block="pre_norm")["w_q"]
    assert r"R^\top" in asked(positions="rotary")["w_k"]
    assert "sum_h" in asked(num_kv_heads=1)["k"]
    assert "W_O" not in asked(output_projection=False)["concat"]
    cross = formulas(ask({"text": "a b", "context": "c d e"}))
    assert cross["x"] == r"\nabla_X = \nabla_Q W_Q^\top"
    assert cross["context"] == r"\nabla_Z = \nabla_K W_K^\top + \nabla_V W_V^\top"


def test_the_formula_of_an_mlp_has_its_own_activation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def symbol(name: str, **model: Any) -> str:
        lines = asked(block="pre_norm", mlp=True, **model)
        return lines[name].partition(" = ")[0]

    assert symbol("activated") == r"\nabla_{\mathrm{gelu}_{\tanh}(U)}"
    assert symbol("activated", activation="relu") == r"\nabla_{\max(U, 0)}"
    assert symbol("mlp_output") == r"\nabla_{\mathrm{MLP}(Y)}"
    monkeypatch.setattr(
        gradient_formulas, "formula_words", lambda *_: frozenset({"mlp", "gated", "silu"})
    )
    assert symbol("activated") == r"\nabla_{(\mathrm{silu}(G) \odot U)}"


def test_a_formula_is_true_of_the_numbers() -> None:
    model = {"source": "seeded", "d_model": 6, "num_heads": 2, "block": "residual", "bias": True}
    trace = ask({"text": "a b c", "model": model, "temperature": 2.0})
    cotangent = np.random.default_rng(0).normal(size=(3, 6)).tolist()
    objective = Custom(kind="custom", at="block_output", cotangent=cotangent)
    found = gradients(trace, objective).trace
    g, p, s = found.layers[0], trace.parameters[0], trace.layers[0]
    merged = {n: np.concatenate(list(g[n][0]), axis=-1) for n in "qkv"}
    by_x = sum(merged[n] @ p.arrays()[f"w_{n}"].T for n in "qkv")
    np.testing.assert_allclose(g["x"][0], g["block_output"][0] + by_x, atol=1e-14)
    scale = 1 / (np.sqrt(3) * 2.0)
    np.testing.assert_allclose(g["scores"], scale * g["scaled_scores"], atol=1e-16)
    np.testing.assert_allclose(g["q"], g["scores"] @ s["k"], atol=1e-14)
    w_q = found.parameters[0].w_q
    np.testing.assert_allclose(w_q, s["x"][0].T @ merged["q"], atol=1e-14)
    assert not re.search("LN|R", formulas(trace)["w_q"])
