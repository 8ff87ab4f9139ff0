"""SmolLM2, a real language model out of a quantised GGUF file: its heads, and what it says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from attnscope.analysis.ablations import FIRST, Head, ablate_in_groups, check_cost, strongest_first
from attnscope.analysis.heads import head_metrics
from attnscope.analysis.predictions import likeliest
from attnscope.analysis.probe import probe_question
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.against_torch.real_models import real

NAME, LENGTH = "smollm2", 24


@cache
def registry() -> ModelRegistry:
    return ModelRegistry(models_dir(), [real(NAME) / f"{NAME}.gguf"])


def ask(question: Question) -> Trace:
    return answer(make_plan(question, Limits(), pytest.fail, registry()))


def asked(text: str) -> Question:
    return Question.model_validate({"text": text, "model": {"source": "installed", "name": NAME}})


@pytest.fixture(scope="module")
def repeated() -> Trace:
    """Random tokens, twice."""
    planned = make_plan(asked("a"), Limits(), pytest.fail, registry())
    return ask(probe_question(planned, 0, LENGTH, 2))


def test_a_head_looks_at_the_token_before_and_one_behind_the_earlier_copy(repeated: Trace) -> None:
    tokens = repeated.plan.words.tokens[0]
    every = [head_metrics(layer["weights"][0], tokens) for layer in repeated.layers]
    assert every[11][1]["previous"] > 0.8
    assert every[18][6]["induction"] > 0.8
    assert every[18][6]["induction"] == max(one["induction"] for layer in every for one in layer)


def test_it_knows_what_the_capital_of_france_is() -> None:
    trace = ask(asked("The capital of France is"))
    [best, *_] = likeliest(trace, 0, trace.plan.n - 1, 3)
    assert best.piece == " Paris"
    assert np.exp(best.log_probability) > 0.5
    assert trace.checks.non_finite == 0


def test_its_heads_are_dropped_in_turn_and_the_one_that_names_mary_is_missed() -> None:
    trace = ask(asked("When Mary and John went to the store, John gave a drink to"))
    check_cost(trace.plan)
    row = trace.plan.n - 1
    [best, *_] = likeliest(trace, 0, row, 1)
    assert best.piece == " Mary"
    order = strongest_first(trace, 0, row, best.id)
    assert len(order) == 270
    found = dict(next(ablate_in_groups(trace, 0, row, best.id, order)))
    assert list(found) == order[:FIRST]
    assert found[Head(29, 1)] == min(found.values()) < best.log_probability - 0.1
