"""A text that is longer than a model takes: cut where the question says, it is accepted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnscope.errors import TooManyTokens
from attnscope.trace.plan import Limits, Plan, make_plan
from attnscope.trace.question import Question
from tests.installed.asking import ECHO, no_upload

CONTEXT = 128
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
PARTS = ["中", "😀", "x", "e\u0301", "é", FAMILY, "\u200b", " ", "  ", "\n", " Harry", "'s", "42"]


def planned(**body: Any) -> Plan:
    question = Question.model_validate({"model": ECHO, **body})
    return make_plan(question, Limits(), no_upload)


def refused(**body: Any) -> TooManyTokens:
    with pytest.raises(TooManyTokens) as error:
        planned(**body)
    return error.value


@given(st.lists(st.sampled_from(PARTS), max_size=150).map(lambda parts: "".join(parts) + "中" * 43))
@settings(max_examples=100)
@example("中" * 100)
@example("x😀" * 100)
@example("e\u0301" * 100)
@example("é" * 100)
@example(FAMILY * 20)
@example("a" * 127 + "😀")
@example("\u200b" * 60)
@example("x" * 5000)
@example("Emma " * 2000)
def test_a_text_that_ends_at_the_position_named_is_accepted(text: str) -> None:
    error = refused(text=text)
    assert (error.reason, error.values["limit"]) == ("over_model_context", CONTEXT)
    end = error.values["end"]
    assert isinstance(end, int)
    assert CONTEXT - 4 < planned(text=text[:end]).n <= CONTEXT


def test_each_side_and_each_text_has_its_own_end() -> None:
    second = refused(text=["Harry", "中" * 100])
    assert (second.at, second.values["end"]) == ("text[1]", 42)
    context = refused(text="Harry", context="x" * 5000)
    assert (context.at, context.reason) == ("context", "over_model_context")
    assert context.values["limit"] == CONTEXT


def test_what_has_no_characters_has_no_end() -> None:
    error = refused(tokens=["x"] * 5000)
    assert (error.reason, error.at) == ("tokens_over_model_context", "tokens")
    assert error.values == {"tokens": 5000, "limit": CONTEXT, "end": None}
    assert refused(tokens=[["x"], ["x"] * 129]).at == "tokens[1]"


def test_the_servers_own_limit_is_named_where_it_is_smaller() -> None:
    question = Question.model_validate({"model": ECHO, "text": "x" * 200})
    with pytest.raises(TooManyTokens) as error:
        make_plan(question, Limits(max_tokens=64), no_upload)
    assert (error.value.reason, error.value.values["limit"]) == ("over_limit", 64)
