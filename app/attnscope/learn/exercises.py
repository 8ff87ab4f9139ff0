"""Exercises: generated from a seed, solved by the engine, marked against its results."""

from __future__ import annotations

import math
from contextvars import ContextVar

import numpy as np

from attnscope.learn.parts import Body, Chapter, Exercise
from attnscope.trace.examples import no_upload
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer

MINUS = str.maketrans({"−": "-", "–": "-", ",": ".", "，": "."})


def traced(body: Body) -> Trace:
    """The trace of a question, computed here and not stored."""
    return answer(make_plan(Question.model_validate(dict(body)), Limits(), no_upload))


def stage(body: Body, name: str, layer: int = 0) -> np.ndarray:
    """One stage of a question's only batch row, without the batch axis."""
    array: np.ndarray = traced(body).layers[layer][name][0]
    return array


# The reader's language, for the words in exercises.
LANGUAGE: ContextVar[str] = ContextVar("language", default="en")


def exercises(chapter: Chapter, seed: int, language: str = "en") -> tuple[Exercise, ...]:
    """The exercises of a chapter for a seed and a language: deterministic."""
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
    """Whether an answer is right: a choice exactly, a number to the precision asked for."""
    if exercise.choices:
        return given == exercise.answer
    number = read(given)
    if number is None:
        return False
    # Half a unit of the last decimal, plus rounding error of the computed answer.
    most = 0.5 * 10.0**-exercise.decimals + 1e-9
    return abs(number - float(exercise.answer)) <= most


def read(given: str) -> float | None:
    """Parse a number with a comma or a point, any kind of minus sign, or as a fraction; else
    None."""
    try:
        above, *below = (float(part) for part in given.strip().translate(MINUS).split("/"))
        number = above / below[0] if below else above
    except (ValueError, ZeroDivisionError):
        return None
    plain = len(below) < 2 and all(map(math.isfinite, (above, *below, number)))
    return number if plain else None


def shown(exercise: Exercise) -> str:
    """Format the computed answer with the decimals asked for, never as −0."""
    if isinstance(exercise.answer, str):
        return exercise.answer
    return f"{round(exercise.answer, exercise.decimals) + 0.0:.{exercise.decimals}f}".replace(
        "-", "−"
    )
