"""Trained models: a model like any other, made again from its seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attnscope.analysis.predictions import likeliest
from attnscope.cancellation import ClientDisconnected, cancel_when
from attnscope.errors import AttnscopeError, InvalidRequest, TooLarge, TooManyTokens
from attnscope.learn.exercises import compute_trace
from attnscope.toy_training.tasks import example
from attnscope.toy_training.training import Recipe
from attnscope.trace.question import Question, Trained
from attnscope.trace.trained import is_cached, recipe_of, weights_of

REVERSE = {"source": "trained", "task": "reverse", "rate": 1.0, "step": 25}


def test_asked_nothing_it_is_asked_an_example_of_its_task() -> None:
    planned = compute_trace({"model": REVERSE}).plan
    assert planned.question.text == example("reverse", 4)
    assert planned.id == compute_trace({"text": example("reverse", 4), "model": REVERSE}).plan.id
    assert compute_trace({"tokens": ["a", "b"], "model": REVERSE}).plan.question.text is None


def test_it_looks_where_the_answer_is_and_says_it() -> None:
    trace = compute_trace({"text": "a d c e | e c d", "model": REVERSE})
    weights = trace.layers[0]["weights"][0, 0]
    assert weights[4:].argmax(axis=1).tolist() == [3, 2, 1, 0]
    said = [likeliest(trace, 0, row, 1)[0].piece for row in range(4, 8)]
    assert said == ["e", "c", "d", "a"]


def test_defaults_say_nothing_in_the_question() -> None:
    question = Question(model=Trained(source="trained", task="copy", rate=0.3, step=200))
    assert question.plain() == {"model": {"source": "trained"}}


def test_what_it_cannot_be_asked_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"text": "a b cat"}, "unknown_piece", "text"),
        ({"tokens": ["a", "cat"]}, "not_in_vocabulary", "tokens"),
        ({"text": "a b c d | a b c d e"}, "over_model_context", "text"),
        ({"model": {**REVERSE, "step": 1001}}, "training_steps", "model.step"),
        ({"model": {**REVERSE, "length": 9}}, "task_length", "model.length"),
        ({"model": {**REVERSE, "rate": 8.0}}, "training_diverged", "model.step"),
    ]
    for body, reason, at in cases:
        with subtests.test(body=body, reason=reason):
            with pytest.raises((InvalidRequest, TooLarge, TooManyTokens)) as refused:
                compute_trace({"model": REVERSE, **body})
            error: AttnscopeError = refused.value
            assert (error.reason, error.at) == (reason, at)


def test_training_that_nobody_waits_for_stops() -> None:
    model = Trained(source="trained", seed=987_654)
    assert recipe_of(model) == Recipe("copy", 4, 987_654, 0.3)
    with cancel_when(lambda: True), pytest.raises(ClientDisconnected):
        weights_of(model)
    assert not is_cached(model)


def test_its_own_reference_agrees_with_it() -> None:
    checks = compute_trace({"model": REVERSE}).checks
    assert checks.max_reference_error is not None
    assert checks.max_reference_error < 1e-12
    assert np.isfinite(compute_trace({"model": REVERSE}).layers[0]["output"]).all()
