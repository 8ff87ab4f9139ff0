"""Hints say where to look and not what is found; worked lines lead to the answer."""

from __future__ import annotations

import math
import re
from itertools import product

import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.arithmetic import bracketed, products, total
from attnscope.learn.exercises import format_answer
from attnscope.learn.typed_numbers import readings
from tests.learn.posed import SEEDS, all_posed
from tests.test_repo import messages

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+(?:\.\d+)?")


def names(text: str, word: str) -> bool:
    """Whether a text holds a word by itself; a Chinese one anywhere."""
    bound = r"\b" if word.isascii() and word.isalnum() else ""
    return bool(re.search(f"{bound}{re.escape(word)}{bound}", text))


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_hint_does_not_give_the_answer(seeds: range, subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            sentences = messages(language)
            for exercise in all_posed(chapter.name, seeds, language):
                hint = sentences[f"exercise.{exercise.kind}.hint"].format_map(dict(exercise.values))
                if exercise.choices:
                    named = [
                        choice
                        for choice in exercise.choices
                        if names(hint, sentences.get(choice, choice))
                    ]
                    assert named != [exercise.answer], hint
                else:
                    numbers = [readings(number)[0] for number in NUMBER.findall(hint)]
                    assert readings(format_answer(exercise))[0] not in numbers, hint


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_worked_line_ends_at_the_answer(seeds: range, subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            sentences = messages(language)
            for exercise in all_posed(chapter.name, seeds, language):
                answer = format_answer(exercise)
                answer = sentences.get(answer, answer)
                values = {**exercise.values, **exercise.worked, "answer": answer}
                worked = sentences[f"exercise.{exercise.kind}.worked"].format_map(values)
                assert answer in worked, exercise
                assert "{" not in worked
                assert len(worked) < 240, worked


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_arithmetic_of_a_worked_line_comes_to_its_answer(
    seeds: range, subtests: pytest.Subtests
) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            sentences = messages("en")
            for exercise in all_posed(chapter.name, seeds):
                values = {**exercise.values, **exercise.worked, "answer": format_answer(exercise)}
                line = sentences[f"exercise.{exercise.kind}.worked"].format_map(values)
                steps = line.split(": ")[-1].split(" = ")
                if exercise.choices or len(steps) == 1:
                    continue
                for step in steps[:-1]:
                    found = worked_out(step)
                    if found is not None:
                        # Figures on the way are written with three decimals.
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
    try:
        number = eval(plain, {"__builtins__": {}, "max": max, "min": min, **functions})
    except SyntaxError:
        pytest.fail(f"write {step} with × between factors and ln(…) for logarithms, or in words")
    return float(number)


def test_numbers_stand_in_a_line_as_a_hand_writes_them() -> None:
    assert [bracketed(2), bracketed(-0.5)] == ["2", "(−0.5)"]
    assert products([2, -1], [3, -4]) == "2 × 3 + (−1) × (−4)"
    assert total([-3, 2, -1.5]) == "−3 + 2 − 1.5"
