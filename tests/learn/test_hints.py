"""Hints say where to look and not what is found; worked lines lead to the answer."""

from __future__ import annotations

import math
import re
from functools import cache

import pytest

from app.learn import BY_NAME, CHAPTERS
from app.learn.arithmetic import bracketed, products, total
from app.learn.exercises import exercises, read, shown
from app.learn.parts import Chapter, Exercise
from tests.test_repo import messages

SEEDS = range(4)
NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:\.\d+)?")
EACH = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


@cache
def posed(name: str) -> list[Exercise]:
    return [exercise for seed in SEEDS for exercise in exercises(BY_NAME[name], seed)]


def names(text: str, word: str) -> bool:
    """Whether a text holds a word by itself; a Chinese one anywhere."""
    bound = r"\b" if word.isascii() and word.isalnum() else ""
    return bool(re.search(f"{bound}{re.escape(word)}{bound}", text))


@EACH
@LANGUAGES
def test_a_hint_does_not_tell_the_answer(chapter: Chapter, language: str) -> None:
    sentences = messages(language)
    for exercise in posed(chapter.name):
        hint = sentences[f"exercise.{exercise.kind}.hint"].format_map(dict(exercise.values))
        if exercise.choices:
            told = [
                choice for choice in exercise.choices if names(hint, sentences.get(choice, choice))
            ]
            assert told != [exercise.answer], hint
        else:
            numbers = [read(number) for number in NUMBER.findall(hint)]
            assert read(shown(exercise)) not in numbers, hint


@EACH
@LANGUAGES
def test_a_worked_line_ends_at_the_answer(chapter: Chapter, language: str) -> None:
    sentences = messages(language)
    for exercise in posed(chapter.name):
        answer = shown(exercise)
        answer = sentences.get(answer, answer)
        values = {**exercise.values, **exercise.worked, "answer": answer}
        worked = sentences[f"exercise.{exercise.kind}.worked"].format_map(values)
        assert answer in worked, exercise
        assert "{" not in worked
        assert len(worked) < 240, worked


@EACH
def test_the_arithmetic_of_a_worked_line_comes_to_its_answer(chapter: Chapter) -> None:
    sentences = messages("en")
    for exercise in posed(chapter.name):
        values = {**exercise.values, **exercise.worked, "answer": shown(exercise)}
        line = sentences[f"exercise.{exercise.kind}.worked"].format_map(values)
        steps = line.split(": ")[-1].split(" = ")
        if exercise.choices or len(steps) == 1:
            continue
        for step in steps[:-1]:
            found = worked_out(step)
            if found is not None:
                # Figures on the way are told with three decimals.
                most = 0.5 * 10.0**-exercise.decimals + 0.02 * abs(found) * ("." in step)
                assert found == pytest.approx(float(exercise.answer), abs=most + 1e-9), line


def worked_out(step: str) -> float | None:
    """What a line of arithmetic comes to; None where it is in words."""
    plain = step.replace("−", "-").replace("×", "*").replace("²", "**2")
    plain = re.sub(r"√(\d+)", r"√(\1)", plain).replace("√", "sqrt").replace("ln", "log")
    if re.search(r"[^\d.,+*/() -]", re.sub(r"exp|log|sqrt|sin|cos|max|min", "", plain)):
        return None
    functions = {name: getattr(math, name) for name in ("exp", "log", "sqrt", "sin", "cos")}
    plain = plain.replace("log ", "log(") + ")" * plain.count("log ")
    number = eval(plain, {"__builtins__": {}, "max": max, "min": min, **functions})
    return float(number)


def test_numbers_stand_in_a_line_as_a_hand_writes_them() -> None:
    assert [bracketed(2), bracketed(-0.5)] == ["2", "(−0.5)"]
    assert products([2, -1], [3, -4]) == "2 × 3 + (−1) × (−4)"
    assert total([-3, 2, -1.5]) == "−3 + 2 − 1.5"
