"""The texts of an embedding's rows, from every format they come in."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats import Budget, Limits
from attnscope.weights.formats.vocab import LONGEST, PER_TEXT, count_of, read_vocab

TEXTS = ["猫", "eats", 'a "quote"', "👍🏽", ""]


def budget(**limits: int) -> Budget:
    return Budget(Limits(**limits))


def reason(vocab: object, **limits: int) -> str:
    with pytest.raises(BadWeightsFile) as error:
        read_vocab(vocab, budget(**limits))
    return error.value.reason


def test_texts_are_the_same_from_wherever_they_come(subtests: pytest.Subtests) -> None:
    for vocab in (json.dumps(TEXTS), TEXTS, tuple(TEXTS), np.array(TEXTS), np.array([TEXTS])):
        with subtests.test(vocab=vocab):
            assert read_vocab(vocab, budget()) == tuple(TEXTS)


def test_an_array_is_read_in_its_order_however_long_it_is() -> None:
    texts = [f"{i:0200}" for i in range(5000)]
    assert read_vocab(np.array(texts), budget()) == tuple(texts)


def test_texts_are_counted_where_they_can_be() -> None:
    counted = (["a", "b"], ("a", "b"), np.array(["a", "b"]), '["a", "b"]')
    assert [count_of(vocab) for vocab in counted] == [2, 2, 2, None]


def test_what_is_no_list_of_texts_is_refused(subtests: pytest.Subtests) -> None:
    cases = [
        [], ["a", 1], [["a"]], {"a": 0}, 3, "3", "{}", "[", '["a", 1]', "[" * 10**5,
        ["a", "\ud800"], np.array([0x110000], np.uint32).view("<U1"), np.array([], "<U1"),
        np.array(["\ud800"]),
    ]  # fmt: skip
    for vocab in cases:
        with subtests.test(vocab=vocab):
            assert reason(vocab) == "vocab_broken"


def test_texts_repeat_nowhere_and_have_an_end(subtests: pytest.Subtests) -> None:
    for form in (list, np.array, json.dumps):
        with subtests.test(form=form):
            assert reason(form(["a", "b", "a"])) == "vocab_repeats"
            assert reason(form(["a", "b", "c"]), max_vocab=2) == "vocab_too_many"
            assert (
                reason(form(["a" * (LONGEST // 2), "b" * (LONGEST // 2 + 1)])) == "vocab_too_large"
            )


def test_texts_are_taken_from_the_budget() -> None:
    taken = budget()
    read_vocab(np.array(["a", "bcd"]), taken)
    assert taken.held == 2 * PER_TEXT + 2 * 12
    assert reason(["a"] * 1000, max_bytes=1, least_memory=0) == "too_much_memory"
