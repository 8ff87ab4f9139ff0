"""Words to numbers: embeddings, positions, padding, and numbers that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attnscope.attention.architecture import Parameters, Shape
from attnscope.attention.positions import sinusoidal
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import answer
from attnscope.weights import schemes
from attnscope.weights.upload import Upload
from tests.questions import ask


def test_the_context_is_embedding_plus_position_and_its_padding_stays_zero() -> None:
    trace = ask({"text": ["x", "y z"], "context": ["a b c", "b"]})
    assert trace.context is not None
    first, second = trace.layers[0]["context"]
    position = sinusoidal(3, 64)
    np.testing.assert_array_equal(first, schemes.seeded_embeddings("abc", 0, 64) + position)
    np.testing.assert_array_equal(second[0], schemes.seeded_embeddings("b", 0, 64)[0] + position[0])
    assert not second[1:].any()


def test_numbers_given_as_context_get_no_position() -> None:
    trace = ask({"text": "x y", "context_x": [[1.0] * 64, [2.0] * 64, [3.0] * 64]})
    assert trace.context is not None
    assert trace.context.position is None
    np.testing.assert_array_equal(trace.layers[0]["context"][0, :, 0], [1, 2, 3])
    assert trace.start.position is not None


def test_a_text_may_be_asked_about_numbers_and_numbers_about_a_text() -> None:
    x = [[0.5] * 64]
    assert ask({"x": x, "context": "a b"}).plan.m == 2
    assert ask({"text": "a b", "context_x": x}).plan.m == 1


def test_a_token_without_an_embedding_is_refused_at_its_own_field() -> None:
    one = np.ones((1, 1))
    shape, layers = Shape(1, 1, 1, 1, 1), (Parameters(one, one, one),)
    upload = Upload("u", "canonical", shape, "float32", (), layers, one, ("known",))

    def refused(**body: Any) -> InvalidRequest:
        question = Question.model_validate({"model": {"source": "uploaded", "id": "u"}, **body})
        with pytest.raises(InvalidRequest) as error:
            answer(make_plan(question, Limits(), lambda name: upload))
        return error.value

    assert refused(text="new").at == "text"
    assert refused(tokens=["new"]).at == "tokens"
    assert refused(text="known", context="new known").at == "context"
    assert refused(text="known", context="new").values["tokens"] == "new"
