"""Exercises, drawn from a seed and marked by the engine's results."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import replace

import numpy as np

from attnscope.learn.chapter import Chapter
from attnscope.learn.parts import Body, Exercise
from attnscope.learn.typed_numbers import readings
from attnscope.trace.examples import no_upload
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer


def compute_trace(body: Body) -> Trace:
    """Compute an answer without storing it."""
    return answer(make_plan(Question.model_validate(dict(body)), Limits(), no_upload))


def stage(body: Body, name: str, layer: int = 0) -> np.ndarray:
    """A stage of the only text, without the batch axis."""
    array: np.ndarray = compute_trace(body).layers[layer][name][0]
    return array


# The reader's language.
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")


def exercises(chapter: Chapter, seed: int, language: str = "en") -> tuple[Exercise, ...]:
    """An exercise depends on chapter, name, seed and language, not on its position."""
    before = LANGUAGE.set(language)
    try:
        return tuple(
            replace(make(random_generator(chapter, name, seed)), name=name)
            for make, name in zip(chapter.exercises, chapter.names, strict=True)
        )
    finally:
        LANGUAGE.reset(before)


def join_texts(texts: Iterable[str]) -> str:
    """Join with the comma of the reader's language."""
    return ("、" if LANGUAGE.get() == "zh" else ", ").join(texts)


def random_generator(chapter: Chapter, name: str, seed: int) -> np.random.Generator:
    salts = (int.from_bytes(each.encode()) for each in (chapter.name, name))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *salts])))


def is_right(exercise: Exercise, given: str) -> bool:
    if exercise.choices:
        return given == exercise.answer
    return any(_meets(exercise, number) for number in read_numbers(exercise, given))


def read_numbers(exercise: Exercise, given: str) -> tuple[float, ...]:
    """Only shares may be in percent."""
    return readings(given, percent=0.01 if exercise.share else None)


def near_miss(exercise: Exercise, given: str) -> str | None:
    """Key of the message for a wrong choice or a likely mistake, else None."""
    if exercise.choices:
        return exercise.replies.get(given)
    answer = float(exercise.answer)
    for number in read_numbers(exercise, given):
        slips = {
            **exercise.slips,
            "sign": -answer,
            "percent": 100 * answer if exercise.share and number > 1 else math.nan,
            "one_over": 1 / answer if answer else math.nan,
        }
        for name, slip in slips.items():
            if abs(number - slip) <= _tolerance(exercise) * (100 if name == "percent" else 1):
                return f"practice.near.{name}"
        if exercise.decimals == 0 and abs(number - answer) == 1:
            return "practice.near.one_off"
        if exercise.decimals and abs(number - answer) <= 10 * _tolerance(exercise):
            return "practice.near.rounded"
    return None


def _meets(exercise: Exercise, number: float) -> bool:
    return abs(number - float(exercise.answer)) <= _tolerance(exercise)


def _tolerance(exercise: Exercise) -> float:
    """Half a unit of the last decimal, plus rounding error."""
    return 0.5 * 10.0**-exercise.decimals + 1e-9


def format_answer(exercise: Exercise) -> str:
    """The answer as text, without −0."""
    if isinstance(exercise.answer, str):
        return exercise.answer
    return f"{round(exercise.answer, exercise.decimals) + 0.0:.{exercise.decimals}f}".replace(
        "-", "−"
    )
