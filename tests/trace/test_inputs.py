"""Words of a question: batches, padding, labels, limits."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from attnscope.errors import AttnscopeError, TooLarge
from attnscope.trace.inputs import Words, make_splitter, read_context, read_words
from attnscope.trace.question import Question
from attnscope.trace.token_limits import TokenLimits


def words(max_tokens: int = 100, max_characters: int = 1000, **body: Any) -> Words:
    question = Question.model_validate(body)
    return read_words(
        question, TokenLimits(max_tokens), max_characters, make_splitter(question, None)
    )


def context(max_tokens: int = 100, max_characters: int = 1000, **body: Any) -> Words | None:
    question = Question.model_validate(body)
    return read_context(
        question, TokenLimits(max_tokens), max_characters, make_splitter(question, None)
    )


def test_one_text_is_a_batch_of_one_with_offsets() -> None:
    assert words(text="The 猫.") == Words(
        [["The", "猫", "."]], [[(0, 3), (4, 5), (5, 6)]], [3], 3
    )  # fmt: skip


def test_several_texts_are_padded_at_the_end() -> None:
    read = words(text=["a b c", "d"])
    assert read.tokens == [["a", "b", "c"], ["d", None, None]]
    assert read.offsets[1] == [(0, 1), None, None]
    assert (read.lengths, read.n) == ([3, 1], 3)


def test_the_context_length_pads_every_text() -> None:
    read = words(text=["a b", "c"], context_length=4)
    assert read.tokens == [["a", "b", None, None], ["c", None, None, None]]
    assert (read.lengths, read.n) == ([2, 1], 4)
    assert words(text="a b", context_length=2).n == 2


def test_tokens_are_taken_as_they_are() -> None:
    read = words(tokens=["New York", "is", " "])
    assert read.tokens == [["New York", "is", " "]]
    assert read.offsets == [[None, None, None]]
    assert words(tokens=[["a"], ["b", "c"]]).tokens == [["a", None], ["b", "c"]]


def test_x_needs_no_words() -> None:
    read = words(x=[[1, 2], [3, 4]])
    assert read == Words(None, [[None, None]], [2], 2)
    batch = words(x=[[[1, 2]], [[3, 4]]], context_length=3)
    assert (batch.lengths, batch.n, len(batch.offsets)) == ([1, 1], 3, 2)


def test_tokens_beside_x_are_its_labels() -> None:
    read = words(x=[[1], [2]], tokens=["A", "B"], context_length=3)
    assert (read.tokens, read.lengths, read.n) == ([["A", "B", None]], [2], 3)
    both = words(x=[[[1], [2]], [[3], [4]]], tokens=[["A", "B"], ["C", "D"]])
    assert both.tokens == [["A", "B"], ["C", "D"]]


def test_the_context_is_read_like_the_text_and_has_a_length_of_its_own() -> None:
    body: dict[str, Any] = {"text": ["a", "b c"], "context": ["The 猫.", "x"], "context_length": 4}
    assert context(**body) == Words(
        [["The", "猫", "."], ["x", None, None]],
        [[(0, 3), (4, 5), (5, 6)], [(0, 1), None, None]],
        [3, 1],
        3,
    )
    assert words(**body).n == 4
    labelled = context(text="a", context_x=[[1], [2]], context_tokens=["A", "B"])
    assert labelled == Words([["A", "B"]], [[None, None]], [2], 2)
    assert context(text="a", context_tokens=["New York"]) == Words(
        [["New York"]], [[None]], [1], 1
    )  # fmt: skip
    assert context(text="a") is None


def test_what_gives_no_context_is_refused_at_its_own_field(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"context": "a", "context_tokens": ["a"]}, "invalid_request", "two_inputs", "context"),
        ({"context": "a", "context_x": [[1]]}, "invalid_request", "two_inputs", "context"),
        ({"context": " "}, "empty_text", "no_token", "context"),
        ({"context": ["a", ""]}, "empty_text", "no_token", "context[1]"),
        ({"context": []}, "empty_text", "empty_batch", "context"),
        ({"context_tokens": [["a"], []]}, "empty_text", "no_token", "context_tokens"),
        ({"context_tokens": ["a\0"]}, "invalid_request", "nul_character", "context_tokens"),
        ({"context": "a " * 101}, "too_many_tokens", "over_limit", "context"),
        ({"context_x": [[1]] * 101}, "too_many_tokens", "over_limit", "context_x"),
        ({"context_x": [[1], [2]], "context_tokens": ["A"]}, "shape_mismatch",
         "labels_do_not_fit", "context_tokens"),
    ]  # fmt: skip
    for body, code, reason, at in cases:
        with subtests.test(body=body):
            with pytest.raises(AttnscopeError) as error:
                context(text="a", **body)
            assert (error.value.code, error.value.reason, error.value.at) == (code, reason, at)


NO_WORDS: list[Any] = [
    ({}, "invalid_request", "no_input", "text"),
    ({"context": "a"}, "invalid_request", "no_input", "text"),
    ({"text": "a", "tokens": ["a"]}, "invalid_request", "two_inputs", "text"),
    ({"text": "a", "x": [[1]]}, "invalid_request", "two_inputs", "text"),
    ({"text": ""}, "empty_text", "no_token", "text"),
    ({"text": " \n\u3000"}, "empty_text", "no_token", "text"),
    ({"text": ["a", " "]}, "empty_text", "no_token", "text[1]"),
    ({"text": []}, "empty_text", "empty_batch", "text"),
    ({"tokens": []}, "empty_text", "empty_batch", "tokens"),
    ({"tokens": [["a"], []]}, "empty_text", "no_token", "tokens"),
    ({"text": "a\0"}, "invalid_request", "nul_character", "text"),
    ({"text": ["a", "\ud800"]}, "invalid_request", "lone_surrogate", "text[1]"),
    ({"tokens": ["a", "b\0"]}, "invalid_request", "nul_character", "tokens"),
    ({"text": "a" * 1001}, "too_many_tokens", "too_many_characters", "text"),
    ({"text": ["a", "a" * 1001]}, "too_many_tokens", "too_many_characters", "text[1]"),
    ({"text": "a " * 101}, "too_many_tokens", "over_limit", "text"),
    ({"text": "a b c", "context_length": 2}, "too_many_tokens", "over_context_length",
     "context_length"),
    ({"x": [[1], [2]], "tokens": ["A"]}, "shape_mismatch", "labels_do_not_fit", "tokens"),
    ({"x": [[1], [2]], "tokens": [["A", "B"], ["C", "D"]]}, "shape_mismatch",
     "labels_do_not_fit", "tokens"),
    ({"x": [[1], [2]], "tokens": ["A", ""], "context_length": 1}, "too_many_tokens",
     "over_context_length", "context_length"),
]  # fmt: skip


def test_what_gives_no_words_is_refused(subtests: pytest.Subtests) -> None:
    for body, code, reason, at in NO_WORDS:
        with subtests.test(body=body):
            with pytest.raises(AttnscopeError) as error:
                words(**body)
            assert (error.value.code, error.value.reason, error.value.at) == (code, reason, at)


def test_limits_are_named_with_what_was_found() -> None:
    with pytest.raises(AttnscopeError) as error:
        words(text="a " * 7, max_tokens=6)
    assert error.value.values == {"tokens": 7, "limit": 6}
    with pytest.raises(AttnscopeError) as error:
        words(text="a" * 7, max_characters=6)
    assert error.value.values == {"characters": 7, "limit": 6}
    assert words(text="a " * 6, max_tokens=6).n == 6


def test_the_field_that_is_too_long_is_named(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"tokens": ["a"] * 7}, "tokens"),
        ({"x": [[1]] * 7}, "x"),
        ({"text": "a", "context_length": 7}, "context_length"),
    ]
    for body, at in cases:
        with subtests.test(body=body):
            with pytest.raises(AttnscopeError) as error:
                words(**body, max_tokens=6)
            assert (error.value.reason, error.value.at) == ("over_limit", at)


def test_a_batch_that_padding_makes_large_is_refused_before_it_is_padded(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        {"text": ["a " * 900, *["b"] * 4_000]},
        {"tokens": [["a"] * 900, *[["b"]] * 4_000]},
        {"text": ["a"] * 4_000, "context_length": 900},
        {"x": [[[1]]] * 4_000, "context_length": 900},
    ]
    for body in cases:
        with subtests.test(body=body):
            question = Question.model_validate(body)
            tracemalloc.start()
            try:
                with pytest.raises(TooLarge) as error:
                    read_words(question, TokenLimits(1000), 100_000, make_splitter(question, None))
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert error.value.reason == "batch"
            assert peak < 16 << 20  # 8 MB of padding for each list of a million places otherwise


def test_a_batch_of_thousands_of_texts_is_refused(subtests: pytest.Subtests) -> None:
    for body in ({"tokens": [[""]] * 5000}, {"text": ["a"] * 5000}, {"x": [[[1]]] * 5000}):
        with subtests.test(body=body):
            with pytest.raises(TooLarge) as error:
                words(max_characters=10_000, **body)
            assert error.value.reason == "texts"
