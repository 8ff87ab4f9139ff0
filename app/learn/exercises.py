"""Exercises: made from a seed, answered by the engine, marked against its figures."""

from __future__ import annotations

import math
from contextvars import ContextVar

import numpy as np

from app.learn.parts import Body, Chapter, Exercise
from app.trace.examples import no_upload
from app.trace.plan import Limits, make_plan
from app.trace.question import Question
from app.trace.trace import Trace, answer

MINUS = str.maketrans({"−": "-", "–": "-", ",": ".", "，": "."})


def traced(body: Body) -> Trace:
    """The trace of a question, in this process; nothing is kept."""
    return answer(make_plan(Question.model_validate(dict(body)), Limits(), no_upload))


def stage(body: Body, name: str, layer: int = 0) -> np.ndarray:
    """One stage of a question's only batch row, without the batch axis."""
    array: np.ndarray = traced(body).layers[layer][name][0]
    return array


# Whose words the sentences of exercises are made of: those of the reader.
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")


def exercises(chapter: Chapter, seed: int, language: str = "en") -> tuple[Exercise, ...]:
    """The exercises of a chapter under a seed, with words of a language: always the same ones."""
    name = int.from_bytes(chapter.name.encode())
    streams = np.random.SeedSequence([seed, name]).spawn(len(chapter.exercises))
    before = LANGUAGE.set(language)
    try:
        return tuple(
            make(np.random.Generator(np.random.PCG64(stream)))
            for make, stream in zip(chapter.exercises, streams, strict=True)
        )
    finally:
        LANGUAGE.reset(before)


def right(exercise: Exercise, given: str) -> bool:
    """Whether an answer is the engine's: a choice exactly, a number as far as it was asked for."""
    if exercise.choices:
        return given == exercise.answer
    number = read(given)
    if number is None:
        return False
    # Half a unit of the last decimal asked for, and a rounding error of the computed figure.
    most = 0.5 * 10.0**-exercise.decimals + 1e-9
    return abs(number - float(exercise.answer)) <= most


def read(given: str) -> float | None:
    """A number as people write it: a comma or a point, a minus sign of any kind, or one number over
    another; else None."""
    try:
        above, *below = (float(part) for part in given.strip().translate(MINUS).split("/"))
        number = above / below[0] if below else above
    except (ValueError, ZeroDivisionError):
        return None
    plain = len(below) < 2 and all(map(math.isfinite, (above, *below, number)))
    return number if plain else None


def shown(exercise: Exercise) -> str:
    """The computed answer as it is told: to the decimals asked for, and never −0."""
    if isinstance(exercise.answer, str):
        return exercise.answer
    return f"{round(exercise.answer, exercise.decimals) + 0.0:.{exercise.decimals}f}".replace(
        "-", "−"
    )
