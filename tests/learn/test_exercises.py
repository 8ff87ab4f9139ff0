"""Exercises: the same seed makes the same ones, and answers are the engine's figures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from app.learn import BY_NAME, CHAPTERS
from app.learn.chapters.scores import given_qk
from app.learn.exercises import exercises, read, right, shown, stage
from app.learn.parts import Chapter, Exercise
from tests.test_repo import messages

SEEDS = range(6)


@cache
def made(name: str, seed: int) -> tuple[Exercise, ...]:
    return exercises(BY_NAME[name], seed)


EACH = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)


@EACH
def test_a_seed_makes_the_same_exercises_and_another_seed_others(chapter: Chapter) -> None:
    assert made(chapter.name, 0) == exercises(chapter, 0)
    assert len({str(made(chapter.name, seed)) for seed in SEEDS}) > 1


@EACH
def test_the_computed_answer_is_right_as_it_is_told(chapter: Chapter) -> None:
    for seed in SEEDS:
        for exercise in made(chapter.name, seed):
            assert right(exercise, shown(exercise)), exercise


@EACH
def test_a_wrong_answer_is_not_right(chapter: Chapter) -> None:
    for seed in SEEDS:
        for exercise in made(chapter.name, seed):
            if exercise.choices:
                wrong = [choice for choice in exercise.choices if choice != exercise.answer]
                assert len(wrong) == len(exercise.choices) - 1 > 0
            else:
                wrong = [str(float(exercise.answer) + 2 * 10.0**-exercise.decimals), "", "x"]
            assert not any(right(exercise, answer) for answer in wrong)


@EACH
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_task_is_told_with_its_values(chapter: Chapter, language: str) -> None:
    sentences = messages(language)
    for exercise in made(chapter.name, 0):
        told = sentences[f"exercise.{exercise.kind}"].format_map(dict(exercise.values))
        assert "{" not in told
        for choice in exercise.choices:
            assert "." not in choice or choice in sentences or read(choice) is not None


@pytest.mark.parametrize("typed", ["-1.5", "−1.5", "–1,5", " -1.5 ", "-1.50"])
def test_a_number_is_read_as_people_write_it(typed: str) -> None:
    assert read(typed) == -1.5


@pytest.mark.parametrize("typed", ["1/6", " 1 / 6 ", "2/12", "-1/−6", "0,5/3"])
def test_a_fraction_is_a_number(typed: str) -> None:
    assert read(typed) == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    "typed",
    ["", "one", "nan", "inf", "1e999", "1.2.3", "1/0", "1/inf", "1/2/3", "/2", "1/", "1e308/1e-9"],
)
def test_what_is_no_number_is_no_answer(typed: str) -> None:
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
