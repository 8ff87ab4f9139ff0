"""Exercises: the same seed makes the same ones, and answers are the engine's figures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.chapters.scores import given_qk
from attnscope.learn.exercises import exercises, read, right, shown, stage
from attnscope.learn.parts import Exercise
from tests.learn.posed import SEEDS, all_posed, posed
from tests.test_repo import messages


def test_a_seed_makes_the_same_exercises_and_another_seed_others(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            assert posed(chapter.name, 0) == exercises(chapter, 0)
            assert len({str(posed(chapter.name, seed)) for seed in range(3)}) > 1


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_computed_answer_is_right_as_it_is_told(
    seeds: range, subtests: pytest.Subtests
) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for exercise in all_posed(chapter.name, seeds):
                assert right(exercise, shown(exercise)), exercise


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_wrong_answer_is_not_right(seeds: range, subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for exercise in all_posed(chapter.name, seeds):
                if exercise.choices:
                    wrong = [choice for choice in exercise.choices if choice != exercise.answer]
                    assert len(wrong) == len(exercise.choices) - 1 > 0
                else:
                    wrong = [str(float(exercise.answer) + 2 * 10.0**-exercise.decimals), "", "x"]
                assert not any(right(exercise, answer) for answer in wrong)


def test_every_task_is_told_with_its_values(subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            sentences = messages(language)
            for exercise in posed(chapter.name, 0):
                told = sentences[f"exercise.{exercise.kind}"].format_map(dict(exercise.values))
                assert "{" not in told
                for choice in exercise.choices:
                    assert "." not in choice or choice in sentences or read(choice) is not None


def test_a_number_is_read_as_people_write_it(subtests: pytest.Subtests) -> None:
    for typed in ("-1.5", "−1.5", "–1,5", " -1.5 ", "-1.50"):
        with subtests.test(typed):
            assert read(typed) == -1.5


def test_a_fraction_is_a_number(subtests: pytest.Subtests) -> None:
    for typed in ("1/6", " 1 / 6 ", "2/12", "-1/−6", "0,5/3"):
        with subtests.test(typed):
            assert read(typed) == pytest.approx(1 / 6)


def test_what_is_no_number_is_no_answer(subtests: pytest.Subtests) -> None:
    cases = [
        "",
        "one",
        "nan",
        "inf",
        "1e999",
        "1.2.3",
        "1/0",
        "1/inf",
        "1/2/3",
        "/2",
        "1/",
        "1e308/1e-9",
    ]
    for typed in cases:
        with subtests.test(typed):
            assert read(typed) is None


def test_a_number_is_marked_to_the_decimals_asked_for() -> None:
    exercise = Exercise("row_sum", 0.284999, decimals=2)
    assert [right(exercise, typed) for typed in ("0.28", "0.285", "0.29", "0.27")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert shown(Exercise("row_sum", -0.0001, decimals=2)) == "0.00"


def test_given_rows_are_q_and_k() -> None:
    q, k = np.array([[1.0, 2], [3, 4]]), np.array([[0.0, -1], [5, 2]])
    np.testing.assert_array_equal(stage(given_qk(q, k), "scores")[0], q @ k.T)
