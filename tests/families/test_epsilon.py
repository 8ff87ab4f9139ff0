"""What is added to the variance in a norm is the model's own, wherever a norm is computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import logits_at
from attnscope.analysis.score_parts import score_parts
from attnscope.attention.derivatives import layer_norm_back
from attnscope.attention.ops import layer_norm
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.web.serializers.numpy_program import main
from tests.families.asking import ask
from tests.families.cases import SHORT, made
from tests.web.test_program import printed, unpacked

EPSILON = 0.1


def test_the_derivative_of_a_norm_is_that_of_its_epsilon() -> None:
    draw = np.random.default_rng(0)
    x, g_y, gain = draw.normal(size=(1, 3, 5)), draw.normal(size=(1, 3, 5)), draw.normal(size=5)
    g_x, _, _ = layer_norm_back(g_y, x, gain, EPSILON)
    step = 1e-6
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        both = [(layer_norm(one, gain, epsilon=EPSILON) * g_y).sum() for one in (up, down)]
        assert g_x[at] == pytest.approx((both[0] - both[1]) / (2 * step), abs=1e-7)


def test_sums_of_parts_cells_and_the_program_have_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = ask(made("gpt2_epsilon", tmp_path), SHORT, dtype="float64")
    row = trace.plan.n - 1
    logits = logits_at(trace, 0, [row])[0]
    found = contributions(trace, 0, row, 7)
    assert found.logit == pytest.approx(logits[7], abs=1e-9)
    parts = score_parts(trace, 1, 2, 0, row, 1)
    assert parts.score == pytest.approx(trace.layers[1]["scores"][0, 2, row, 1], abs=1e-9)
    cell = explain(trace, "normed_x", CellPlace(1, 0, 0, row, 3))
    assert f"√(variance + {EPSILON})" in cell.steps[-1].expression
    main(unpacked(trace, tmp_path))
    assert max(printed(capsys.readouterr().out).values()) < 1e-12
