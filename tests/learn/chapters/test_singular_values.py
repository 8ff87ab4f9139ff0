"""Singular values: what is lost, what spreads, and what M is not, computed in other ways."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.learn.chapters import spectrum_values as computed
from attnscope.learn.exercises import stage
from attnscope.learn.parts import Body


def number(text: str) -> float:
    return float(text.removesuffix("\u202f%").replace("−", "-"))


def test_words_that_differ_by_what_is_unseen_have_one_query() -> None:
    x, q, k = stage(computed.SAME, "x"), stage(computed.SAME, "q")[0], stage(computed.SAME, "k")[0]
    assert len({tuple(row) for row in x.tolist()}) == len({tuple(row) for row in k.tolist()}) == 4
    np.testing.assert_array_equal(q, np.tile(q[0], (4, 1)))
    np.testing.assert_array_equal((x[1:] - x[0]) / computed.NULL, [[1] * 3, [2] * 3, [-1] * 3])


def test_what_is_lost_is_what_least_squares_leaves() -> None:
    trace = computed.trace_of()
    x, w = trace.layers[0]["x"][0], trace.parameters[0].w_q
    for head, row in enumerate(computed.lost_rows()[:-1]):
        own = w[:, 16 * head : 16 * head + 16]
        seen = x @ own @ np.linalg.pinv(own)
        assert number(row[1]) == pytest.approx(100 * (1 - (seen**2).sum() / (x**2).sum()), abs=0.5)
    assert [number(cell) for cell in computed.lost_rows()[-1][1:]] == [0, 0, 0]


def test_words_spread_along_p_and_w_q_stretches_u() -> None:
    variance = {row[0]: number(row[1]) for row in computed.spread_rows()}
    stretch = {row[0]: number(row[2]) for row in computed.spread_rows()}
    assert min(variance["p₁"], variance["p₂"]) > 3 * max(variance["u₁"], variance["u₂"])
    assert min(stretch["u₁"], stretch["u₂"]) > 2 * max(stretch["p₁"], stretch["p₂"])


def test_m_is_indefinite_asymmetric_and_the_same_for_every_text() -> None:
    values = {name: number(text) for name, text in computed.not_a_covariance().items()}
    assert values["lowest"] < 0 < values["highest"]
    assert values["asymmetry"] > values["largest"]
    assert values["moved"] > 0.5


def test_heads_that_are_drawn_alone_begin_larger() -> None:
    (_, whole, drawn, q), (_, apart, *_), (_, joined, *_) = computed.fan_rows()
    assert number(whole) == pytest.approx(2 / 128, abs=5e-5)
    assert number(drawn) == pytest.approx(number(whole), rel=0.05)
    assert number(apart) == pytest.approx(2 / 80, abs=5e-5)
    assert number(joined) == pytest.approx(2 / 256, abs=5e-5)
    assert number(q) == pytest.approx(1)
    assert number(computed.fan()["squared"]) == pytest.approx(
        number(computed.fan()["ratio"]) ** 2, 0.01
    )


def test_a_relu_passes_on_half_of_the_mean_square() -> None:
    assert number(computed.relu()["relu"]) == pytest.approx(50, abs=3)
    assert number(computed.relu()["gelu"]) < number(computed.relu()["relu"])
    model = {"source": "seeded", "init": "kaiming_normal", "positions": "none"}
    body: Body = {"text": computed.TEXT, "model": model}
    ratio = stage(body, "q").var() / stage(body, "x").var()
    assert ratio == pytest.approx(2, rel=0.15)
