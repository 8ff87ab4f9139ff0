"""Exercises: the same seed makes the same ones, and answers are the engine's figures."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.chapters.scores import given_qk, wrong_cell
from attnscope.learn.errata import of_chapter
from attnscope.learn.exercises import exercises, format_answer, is_right, near_miss, stage
from attnscope.learn.parts import Exercise
from attnscope.learn.typed_numbers import readings
from attnscope.learn.why import false_statement, order_of_stages, true_reason, wrong_row
from attnscope.resources import static_dir
from tests.learn.posed import SEEDS, all_posed, posed
from tests.test_repo import messages

FULL_WIDTH = str.maketrans("0123456789.-", "０１２３４５６７８９．－")


def test_a_seed_makes_the_same_exercises_and_another_seed_others(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            assert posed(chapter.name, 0) == exercises(chapter, 0)
            assert len({str(posed(chapter.name, seed)) for seed in range(3)}) > 1


def test_an_exercise_that_is_moved_keeps_its_numbers() -> None:
    chapter = BY_NAME["masks"]
    moved = replace(chapter, exercises=chapter.exercises[::-1])
    assert exercises(moved, 1) == exercises(chapter, 1)[::-1]
    alone = replace(chapter, exercises=chapter.exercises[2:3])
    assert exercises(alone, 1) == exercises(chapter, 1)[2:3]


KEPT = dict(
    re.findall(r'(\w+): "([\w -]+)"', (static_dir() / "js/learn/solved.js").read_text("utf-8"))
)


def test_an_exercise_has_one_name_in_its_chapter_under_every_seed() -> None:
    for chapter in CHAPTERS:
        assert len(set(chapter.names)) == len(chapter.names)
        for seed in range(3):
            assert tuple(each.name for each in posed(chapter.name, seed)) == chapter.names
        assert set(KEPT.get(chapter.name, "-").split()) <= {*chapter.names, "-"}, (
            "keep old progress"
        )
    assert len(KEPT) > 20


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_computed_answer_is_right_as_it_is_written(
    seeds: range, subtests: pytest.Subtests
) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            for exercise in all_posed(chapter.name, seeds, language):
                assert is_right(exercise, format_answer(exercise)), exercise


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_wrong_answer_is_not_right(seeds: range, subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            for exercise in all_posed(chapter.name, seeds, language):
                if exercise.choices:
                    wrong = [choice for choice in exercise.choices if choice != exercise.answer]
                    assert len(wrong) == len(exercise.choices) - 1 > 0
                else:
                    wrong = [str(float(exercise.answer) + 2 * 10.0**-exercise.decimals), "", "x"]
                assert not any(is_right(exercise, answer) for answer in wrong)


def test_every_task_is_written_with_its_values(subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            sentences = messages(language)
            for exercise in posed(chapter.name, 0):
                prompt = sentences[exercise.prompt].format_map(dict(exercise.values))
                assert "{" not in prompt
                for choice in exercise.choices:
                    assert "." not in choice or choice in sentences or readings(choice)


@pytest.mark.parametrize("seeds", SEEDS)
def test_no_task_speaks_of_one_thing_as_several(seeds: range) -> None:
    sentences = messages("en")
    for chapter in CHAPTERS:
        for exercise in all_posed(chapter.name, seeds):
            prompt = sentences[exercise.prompt].format_map(dict(exercise.values))
            assert not re.search(r"(?<![\d.\u2212])\b1 (?!was\b)[a-z]+s\b", prompt), prompt


def spellings(number: str) -> list[str]:
    """A number as people type it."""
    typed = [number, f" {number} ", number.replace("-", "−"), number.replace("-", "− ")]
    typed += [number.replace(".", ","), number.replace(".", "。")]
    typed.append(number.translate(FULL_WIDTH))
    typed += [f"{float(number)!r}", f"{float(number):.12e}", f"{float(number) * 4!r}/4"]
    return typed


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_right_answer_is_right_in_every_spelling(seeds: range, subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            for exercise in all_posed(chapter.name, seeds, language):
                if exercise.choices:
                    continue
                number = format_answer(exercise).replace("−", "-")
                for typed in spellings(number):
                    assert is_right(exercise, typed), (exercise, typed)
                if exercise.decimals == 0:
                    assert is_right(exercise, f"{int(number):,}")
                    assert is_right(exercise, f"{int(number):,}".replace(",", " "))
                assert is_right(exercise, f"{float(number) * 100:.6g} %") == exercise.share


def test_a_share_is_between_0_and_1(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for exercise in all_posed(chapter.name, range(3)):
                assert not exercise.share or 0 <= float(exercise.answer) <= 1


def test_a_near_miss_is_named() -> None:
    share = Exercise("one_weight", 0.25, decimals=2, share=True, slips={"not_divided": 2.72})
    named = {"2.72": "not_divided", "-0.25": "sign", "25": "percent", "4": "one_over"}
    for typed, name in {**named, "0.27": "rounded"}.items():
        assert near_miss(share, typed) == f"practice.near.{name}"
    third = Exercise("level_row", 1 / 3, decimals=2, share=True)
    assert near_miss(third, "33") == near_miss(third, "33.3") == "practice.near.percent"
    assert near_miss(Exercise("level_row", 0.0049, decimals=2, share=True), "0.6") is None
    assert near_miss(Exercise("open_cells", 12.0), "13") == "practice.near.one_off"
    for typed in ("0.6", "", "many"):
        assert near_miss(share, typed) is None
    assert near_miss(Exercise("which_key", "2", choices=("1", "2")), "1") is None
    replied = Exercise("which_key", "2", choices=("1", "2"), replies={"1": "practice.near.sign"})
    assert near_miss(replied, "1") == "practice.near.sign"


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_slip_has_a_message_and_its_number_is_not_marked_right_by_chance(
    seeds: range, subtests: pytest.Subtests
) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for exercise in all_posed(chapter.name, seeds):
                for name, number in exercise.slips.items():
                    assert f"practice.near.{name}" in messages("en")
                    if not is_right(exercise, f"{number:.6f}"):
                        assert near_miss(exercise, f"{number:.6f}") is not None


def test_a_number_is_marked_to_the_decimals_asked_for() -> None:
    exercise = Exercise("row_sum", 0.284999, decimals=2)
    assert [is_right(exercise, typed) for typed in ("0.28", "0.285", "0.29", "0.27")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert format_answer(Exercise("row_sum", -0.0001, decimals=2)) == "0.00"


def test_a_fraction_is_not_asked_for_as_a_whole_number() -> None:
    for chapter, seed in product(CHAPTERS, range(3)):
        for each in posed(chapter.name, seed):
            if isinstance(each.answer, str) or each.decimals:
                continue
            assert abs(each.answer - round(each.answer)) < 1e-9, (
                f"{chapter.name}: {each.name}: the answer {each.answer} would be rounded to"
                " a whole number: give the Exercise its `decimals`"
            )


def test_given_rows_are_q_and_k() -> None:
    q, k = np.array([[1.0, 2], [3, 4]]), np.array([[0.0, -1], [5, 2]])
    np.testing.assert_array_equal(stage(given_qk(q, k), "scores")[0], q @ k.T)


def test_a_false_statement_is_an_erratum_of_its_chapter() -> None:
    rng = np.random.default_rng(4)
    for chapter in CHAPTERS:
        for make in chapter.exercises:
            if make.__name__ == "false_statement":
                answers = {str(make(rng).answer) for _ in range(40)}
                errata = {f"errata.{each.name}.printed" for each in of_chapter(chapter.name)}
                assert answers <= errata, chapter.name
                assert len(answers) > 1, chapter.name


def test_exercises_that_ask_why_have_four_choices_or_more() -> None:
    rng = np.random.default_rng(5)
    for make in (
        true_reason("scores"),
        false_statement("scores", "key_column"),
        order_of_stages,
        wrong_row,
    ):
        for _ in range(20):
            exercise = make(rng)
            assert len(set(exercise.choices)) == len(exercise.choices) >= 4
            assert exercise.answer in exercise.choices


def test_a_wrong_row_is_the_only_one_that_breaks_a_rule() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        exercise = wrong_row(rng)
        (given,) = exercise.given
        rows = np.array(given.values)
        broken = (np.abs(rows.sum(axis=1) - 1) > 0.01) | (np.triu(rows, 1).max(axis=1) > 0)
        assert np.flatnonzero(broken).tolist() == [int(exercise.answer)]


def test_a_wrong_cell_is_the_only_score_that_is_not_the_dot_product_of_its_rows() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        exercise = wrong_cell(rng)
        q, k, scores = (np.array(each.values) for each in exercise.given)
        ((row, column),) = np.argwhere(q @ k.T != scores)
        assert exercise.answer == f"({row}, {column})"
        assert len(exercise.choices) == 9
        prompt = near_miss(exercise, f"({column}, {row})")
        assert prompt == (None if row == column else "practice.near.swapped")


def test_no_chapter_begins_with_a_reason_or_its_longest_calculation() -> None:
    """From easy to hard: what is read off or counted, calculations, then reasons."""
    first = {chapter.name: chapter.exercises[0].__name__ for chapter in CHAPTERS}
    assert not set(first.values()) & {"true_reason", "false_statement", "order_of_stages"}
    assert first["gradients"] == "gradient_shape"
    for chapter in CHAPTERS:
        asked = [make.__name__ for make in chapter.exercises]
        if "false_statement" in asked:
            assert asked.index("false_statement") < asked.index("true_reason"), chapter.name
