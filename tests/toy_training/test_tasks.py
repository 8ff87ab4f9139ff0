"""Tasks: problems are what they say, and their words are all that a text may have."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.errors import EmptyText, InvalidRequest, TooLarge
from attnscope.tokens.subword_tokenizer import read_pieces
from attnscope.toy_training.tasks import (
    LONGEST,
    NO_TARGET,
    NOUNS,
    NOUNS_ZH,
    TASKS,
    USUAL,
    Task,
    checked_length,
    draw_problems,
    example,
    num_positions,
    task_tokenizer,
    vocabulary,
)

EACH = pytest.mark.parametrize("task", TASKS)


def drawn(task: Task, count: int = 50) -> list[tuple[list[str], list[str | None]]]:
    """Problems in words, and what each row is asked."""
    words = vocabulary(task)
    problems = draw_problems(task, USUAL[task], count, np.random.default_rng(1))
    steps = []
    for ids, targets in zip(problems.ids, problems.targets, strict=True):
        asked = [None if one == NO_TARGET else words[one] for one in targets]
        steps.append(([words[one] for one in ids], asked))
    return steps


def test_copying_and_reversing_ask_the_symbols_before_the_sign() -> None:
    steps: dict[Task, int] = {"copy": 1, "reverse": -1}
    for task, step in steps.items():
        for words, asked in drawn(task):
            said, rest = words[:4], words[5:]
            assert words[4] == "|"
            assert asked[:4] == [None] * 4
            assert asked[4:] == said[::step]
            assert rest == asked[4:-1]  # what was right is read, whatever a model would have said


@pytest.mark.parametrize(("task", "nouns"), [("agree", NOUNS), ("agree_zh", NOUNS_ZH)])
def test_a_pronoun_asks_the_one_noun_of_its_kind(
    task: Task, nouns: dict[str, tuple[str, ...]]
) -> None:
    problems = drawn(task)
    for words, asked in problems:
        *before, pronoun = words
        assert asked[:-1] == [None] * len(before)
        assert [word for word in before if word in nouns[pronoun]] == [asked[-1]]
    assert {words[-1] for words, _ in problems} == set(nouns)
    assert {words.index(str(asked[-1])) for words, asked in problems} == {1, 4, 7}


@EACH
def test_a_problem_has_as_many_tokens_as_are_named(task: Task) -> None:
    for length in range(checked_length(task, 2), LONGEST[task] + 1):
        ids, targets = draw_problems(task, length, 3, np.random.default_rng(0))
        assert ids.shape == targets.shape == (3, num_positions(task, length))


@EACH
def test_the_example_is_a_problem_in_words_of_the_task(task: Task) -> None:
    for length in range(2, LONGEST[task] + 1):
        tokens = read_pieces(example(task, length), task_tokenizer(task)).tokens
        assert len(tokens) == num_positions(task, length)
        assert {token.text for token in tokens} <= set(vocabulary(task)[:-1])
    assert example("agree", 3).endswith(" it")
    assert example("agree_zh", 3).endswith(" 它")


@EACH
def test_a_word_of_no_problem_is_refused(task: Task) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_pieces("cat", task_tokenizer(task))
    assert refused.value.reason == "unknown_piece"
    with pytest.raises(EmptyText):
        read_pieces("  ", task_tokenizer(task))


def test_a_task_that_is_too_small_or_too_large_is_refused() -> None:
    assert [checked_length(task, None) for task in TASKS] == [4, 4, 3, 3]
    with pytest.raises(InvalidRequest):
        checked_length("agree", 1)
    with pytest.raises(TooLarge):
        checked_length("copy", 9)
