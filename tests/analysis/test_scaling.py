"""The figures beside plain sums; a variance of d_k without the scale, of 1 with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from attnscope.analysis.scaling import (
    WIDTHS,
    draw_scores,
    figures_by_width,
    softmax_figures,
    sweep_scale,
)
from attnscope.errors import TooLarge
from tests.questions import ask


def test_the_variance_of_the_scores_is_d_k_and_the_scale_makes_it_one() -> None:
    found = figures_by_width(seed=0, n=16, samples=256)
    assert [width.d_k for width in found if width.scaled] == list(WIDTHS)
    assert WIDTHS[-1] == 1024
    for width in found:
        assert width.predicted_variance == (1 if width.scaled else width.d_k)
        assert width.figures.variance == pytest.approx(width.predicted_variance, rel=0.1)


def test_without_the_scale_wide_heads_saturate_and_their_gradient_vanishes() -> None:
    found = figures_by_width(seed=1, n=16, samples=256)
    with_scale = [width.figures for width in found if width.scaled]
    without = [width.figures for width in found if not width.scaled]
    assert min(one.entropy for one in with_scale) > 0.8 * math.log(16)
    entropies = [one.entropy for one in without]
    assert entropies == sorted(entropies, reverse=True)
    assert without[-1].largest > 0.9 > 0.4 > with_scale[-1].largest
    assert without[-1].jacobian < 0.2 * with_scale[-1].jacobian
    assert with_scale[0] == without[0]


def test_the_same_seed_draws_the_same_numbers_whatever_the_blocks() -> None:
    whole = draw_scores(seed=5, n=4, samples=9, d_k=8)
    blocks = draw_scores(seed=5, n=4, samples=9, d_k=8, block_numbers=64)
    assert blocks == pytest.approx(whole, abs=1e-14)
    assert np.abs(draw_scores(seed=6, n=4, samples=9, d_k=8) - whole).max() > 0.1


def test_the_figures_are_the_plain_sums() -> None:
    scores = np.random.default_rng(0).normal(size=(5, 7))
    found = softmax_figures([scores[:2], scores[2:]])
    entropies, peaks, norms = [], [], []
    for row in scores:
        a = np.exp(row) / np.exp(row).sum()
        entropies.append(-(a * np.log(a)).sum())
        peaks.append(a.max())
        norms.append(np.linalg.norm(np.diag(a) - np.outer(a, a)))
    assert found.variance == pytest.approx(scores.var())
    assert found.entropy == pytest.approx(np.mean(entropies))
    assert found.largest == pytest.approx(np.mean(peaks))
    assert found.jacobian == pytest.approx(np.mean(norms))


def test_equal_scores_are_uniform() -> None:
    found = softmax_figures([np.zeros((1, 8))])
    assert (found.variance, found.largest) == (0, 1 / 8)
    assert found.entropy == pytest.approx(math.log(8))
    assert found.jacobian == pytest.approx(math.sqrt(7) / 8)


def test_nothing_open_has_no_figures() -> None:
    closed = np.zeros((2, 2), bool)
    for _, found in sweep_scale(np.zeros((2, 2)), np.zeros((2, 2)), closed, 1.0, 1.0):
        assert found.entropy == found.variance == 0


def is_the_trace_with_another_temperature(positions: str, factor: float) -> None:
    model = {"source": "seeded", "positions": positions}

    def trace(temperature: float) -> Mapping[str, np.ndarray]:
        body = {"text": "a b c d e", "model": model, "temperature": temperature, "window": 3}
        return ask(body).layers[0]

    own, other = trace(2.0), trace(2.0 / factor)
    scores, scaled, masked = (
        own[name][0, 1] for name in ("scores", "scaled_scores", "masked_scores")
    )
    sweep = dict(sweep_scale(scaled, scores, ~np.isneginf(masked), 0.25 / 2.0, 1.0))
    plain = softmax_figures([other["masked_scores"][0, 1]])
    assert sweep[factor].entropy == pytest.approx(plain.entropy, abs=1e-12)
    assert sweep[factor].jacobian == pytest.approx(plain.jacobian, abs=1e-12)
    assert sweep[factor].variance == pytest.approx(plain.variance, abs=1e-12)


def test_a_factor_is_the_trace_with_another_temperature(subtests: pytest.Subtests) -> None:
    for factor, positions in product((0.25, 1.0, 4.0), ("sinusoidal", "alibi")):
        with subtests.test(positions, factor=factor):
            is_the_trace_with_another_temperature(positions, factor)


def test_too_many_pairs_are_refused() -> None:
    with pytest.raises(TooLarge) as refused:
        figures_by_width(seed=0, n=4096, samples=5)
    assert refused.value.reason == "laboratory"
