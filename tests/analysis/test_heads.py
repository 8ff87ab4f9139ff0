"""Five numbers of a head, beside what they must be for heads whose behaviour is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.analysis.heads import head_metrics
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import CraftedModel, Question
from attnscope.trace.trace import answer

TEXT = "one two three four five six seven eight"


def crafted(name: str, causal: bool = True) -> np.ndarray:
    model = CraftedModel(source="crafted", name=name)  # type: ignore[arg-type]
    question = Question(text=TEXT, model=model, causal=causal)
    trace = answer(make_plan(question, Limits(), lambda model_id: pytest.fail(model_id)))
    weights: np.ndarray = trace.layers[0]["weights"][0]
    return weights


def test_a_previous_token_head_looks_one_step_back() -> None:
    (metrics,) = head_metrics(crafted("previous_token"))
    assert metrics["previous"] > 0.999
    # The first query has none before it.
    assert metrics["distance"] == pytest.approx(7 / 8, abs=0.01)
    assert metrics["entropy"] < 0.01


def test_a_first_token_head_looks_at_the_first() -> None:
    (metrics,) = head_metrics(crafted("first_token"))
    assert metrics["first"] > 0.999
    assert metrics["distance"] == pytest.approx(3.5, abs=0.01)


def test_a_uniform_head_has_the_largest_entropy() -> None:
    (metrics,) = head_metrics(crafted("uniform", causal=False))
    assert metrics["entropy"] == pytest.approx(math.log(8), abs=1e-12)
    assert metrics["first"] == metrics["own"] == pytest.approx(1 / 8, abs=1e-12)


def test_the_numbers_are_the_plain_sums() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 4))
    for head, metrics in enumerate(head_metrics(weights)):
        w = weights[head].tolist()
        entropy = [-sum(p * math.log(p) for p in row) for row in w]
        distance = [sum(p * abs(i - j) for j, p in enumerate(row)) for i, row in enumerate(w)]
        assert metrics["entropy"] == pytest.approx(sum(entropy) / 4, abs=1e-12)
        assert metrics["distance"] == pytest.approx(sum(distance) / 4, abs=1e-12)
        assert metrics["previous"] == pytest.approx((w[1][0] + w[2][1] + w[3][2]) / 3, abs=1e-12)
        assert metrics["own"] == pytest.approx(sum(w[i][i] for i in range(4)) / 4, abs=1e-12)


def test_places_in_another_text_are_not_compared() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3))
    for across, within in zip(
        head_metrics(weights, same_text=False), head_metrics(weights), strict=True
    ):
        assert (across["distance"], across["previous"], across["own"]) == (None, None, None)
        assert (across["entropy"], across["first"]) == (within["entropy"], within["first"])


def test_weights_that_overflowed_are_no_numbers() -> None:
    weights = np.full((2, 3, 3), 1 / 3)
    weights[1] = np.nan
    sound, broken = head_metrics(weights, ["a", "b", "a"])
    assert sound["duplicate_token"] == pytest.approx(1 / 3)
    assert all(math.isnan(one) for one in broken.values())
    (nothing,) = head_metrics(np.full((1, 3, 3), np.nan))
    assert math.isnan(nothing["entropy"])
    assert math.isnan(nothing["first"])


def test_what_followed_a_copy_is_never_the_query_itself() -> None:
    (beside,) = head_metrics(np.tril(np.ones((1, 2, 2))) / 2, ["n", "n"])
    assert (beside["duplicate_token"], beside["induction"]) == (0.5, None)
    weights = np.zeros((1, 4, 4))
    weights[0] = [[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.7, 0.2, 0], [0, 0.3, 0.6, 0.1]]
    (repeated,) = head_metrics(weights, ["n", "n", "n", "m"])
    assert repeated["induction"] == pytest.approx(0.7)  # of query 2 alone: key 1 followed key 0
    assert repeated["duplicate_token"] == pytest.approx((0.5 + 0.8) / 2)
    (apart,) = head_metrics(weights, ["n", "m", "n", "m"])
    assert apart["induction"] == pytest.approx((0.7 + 0.6) / 2)


def test_queries_that_attend_to_nothing_do_not_count() -> None:
    weights = np.zeros((1, 3, 3))
    weights[0, 0, 0] = 1
    (metrics,) = head_metrics(weights)
    assert (metrics["first"], metrics["own"], metrics["previous"]) == (1, 1, 0)
    (nothing,) = head_metrics(np.zeros((1, 3, 3)))
    assert nothing["entropy"] == nothing["distance"] == nothing["first"] == 0
