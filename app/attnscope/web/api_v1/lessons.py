from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import ConfigDict, Field

from attnscope.analysis.schema import described, doc
from attnscope.errors import InvalidRequest
from attnscope.learn.chapter import thumbnail_of
from attnscope.learn.exercises import is_right, near_miss, read_numbers
from attnscope.learn.lines import mark_line
from attnscope.learn.lines.steps import BY_STAGE
from attnscope.learn.parts import Exercise
from attnscope.trace.question import Question, Seed, Value
from attnscope.web.api_v1.answers import json_reply, plan_of, reply_from_trace, uncached
from attnscope.web.http.accept_headers import language_of, sayer
from attnscope.web.http.requests import JsonRoute, admission_of
from attnscope.web.pages.learn import describe_exercise, describe_solution, exercises_for, find
from attnscope.web.pages.passages import typeset_with_cells
from attnscope.web.serializers.request import DEFAULT_TEXT

router = APIRouter(tags=["learn"], route_class=JsonRoute)
LineStage = Literal["scores", "scaled_scores", "masked_scores", "weights", "head_outputs"]
MARKUP = "Whether texts are HTML, with formulas in MathML."
SENTENCES = "Whether to include the open exercise, which asks for a sentence."
ChapterName = Annotated[str, Path(description="A chapter of /learn, such as `scores`.")]


@described
class ExerciseReply:
    """An exercise."""

    name: str = doc("Unique in its chapter, the same under every seed.")
    kind: str = doc("What is asked for.")
    prompt: str = doc("The task, in the reader's language.")
    choices: list[dict[str, str]] = doc(
        "value and label of each; empty: a number is asked for, or a sentence."
    )
    decimals: int = doc("How many decimals of a number are marked.")
    open: bool = doc("A sentence is asked for. It is not marked: any answer shows a model answer.")
    given: list[dict[str, Any]] = doc("Numbers to start from: name, values, label.")
    question: dict[str, Any] | None = doc("The question that shows the answer.")


@described
class ExercisesReply:
    """Exercises of one chapter for one seed."""

    chapter: str = doc("Name of the chapter.")
    seed: int = doc("The same seed makes the same exercises.")
    exercises: list[ExerciseReply] = doc("In the order of the chapter.")


class MarksRequest(Value):
    """One answer for each exercise, in order; null if none was given."""

    model_config = ConfigDict(json_schema_extra={"examples": [
        {
            "seed": 0,
            "answers": ["12", "0", None, None, None, None, None],
            "tries": [1, 2, None, None, None, None, None],
        },
    ]})  # fmt: skip

    seed: Seed = Field(0, description="Seed of the answered exercises.")
    markup: bool = Field(False, description=MARKUP)
    sentences: bool = Field(False, description=SENTENCES)
    answers: list[Annotated[str, Field(max_length=200)] | None] = Field(
        description="As typed or chosen: 6400, 6,400, 0.05, 1/6; a share also in percent.",
        fail_fast=True,
        max_length=64,
    )
    tries: list[Literal[1, 2] | None] = Field(
        default_factory=list,
        description="Which try each answer is. A wrong first try gets a hint, not the answer. "
        "null, or left out: the last try.",
        fail_fast=True,
        max_length=64,
    )


@described
class MarkReply:
    """The computed answer, and whether the given one agrees."""

    right: bool | None = doc("null where there was no answer, and for an open exercise.")
    answer: str | None = doc(
        "The computed answer; null if none was given, or while it stays hidden."
    )
    hint: str | None = doc("After a wrong first try, in the reader's language.")
    near: str | None = doc("The likely mistake behind a wrong number, or why a choice is wrong.")
    unreadable: bool = doc("Whether a number was asked for and none was given.")
    worked: str | None = doc("The way to the answer; null where `answer` is.")


@described
class MarksReply:
    """Marks in the order of the exercises."""

    marks: list[MarkReply] = doc("One per exercise.")


@router.get(
    "/learn/{chapter}/exercises", summary="Exercises of a chapter", response_model=ExercisesReply
)
async def read(
    request: Request,
    chapter: ChapterName,
    seed: Annotated[int, Query(ge=0, le=2**53 - 1, description="Makes other exercises.")] = 0,
    markup: Annotated[bool, Query(description=MARKUP)] = False,
    sentences: Annotated[bool, Query(description=SENTENCES)] = False,
) -> Response:
    """Exercises; the answers come with the marks."""
    posing = exercises_in(request, chapter, seed, sentences=sentences)
    asked = [describe_exercise(sayer(request), exercise) for exercise in posing]
    if markup:
        asked = [with_formulas(each, "prompt") for each in asked]
        for each in asked:
            each["given"] = [with_formulas(given, "label") for given in each["given"]]
            each["choices"] = [with_formulas(choice, "label") for choice in each["choices"]]
    return json_reply(request, {"chapter": chapter, "seed": seed, "exercises": asked})


class LineRequest(Value):
    """A line of a program, as typed."""

    model_config = ConfigDict(json_schema_extra={"examples": [
        {"stage": "scores", "line": "sum(q[i, c] * k[j, c] for c in C)"},
    ]})  # fmt: skip

    stage: LineStage = Field(description="The array that the line computes.")
    line: str = Field(
        max_length=20_000,
        description="The right side of the =. It is parsed and evaluated, not executed.",
    )
    reveal: bool = Field(False, description="Whether to send a right line.")


@described
class LineReply:
    """Whether a line computes the stage, and what is wrong with it."""

    right: bool = doc("Whether it agrees with the engine on random questions.")
    said: list[str] = doc("Comments, in the reader's language.")
    at: int | None = doc("Offset of the error in a line that cannot be evaluated; else null.")
    solution: str | None = doc("A right line, if asked for.")


@router.post("/learn/lines", summary="Mark a line of a program", response_model=LineReply)
async def mark_a_line(request: Request, body: LineRequest) -> Response:
    """Evaluate a line on random questions and compare it with the engine's numbers."""
    found = await admission_of(request).run(
        request, lambda: mark_line(body.stage, body.line), queue="small"
    )
    say = sayer(request)
    said = [say(key, values) for key, values in found.said]
    if found.cell:
        row, col, given, computed = found.cell
        values = {"row": row, "col": col, "given": number(given), "computed": number(computed)}
        said.insert(0, say("line.differs", values))
    solution = BY_STAGE[body.stage].solution if body.reveal else None
    return uncached(LineReply(found.right, said, found.at, solution))


def number(value: float) -> str:
    plain = f"{value:.4g}".replace("-", "−").replace("inf", "∞")
    return "NaN" if plain == "nan" else plain


@described
class GlanceReply:
    """Numbers of a chapter for a small picture."""

    figure: str = doc("Name of the chapter's figure.")
    stage: str = doc("Stage that is shown.")
    values: list[list[float | None]] = doc("First rows and columns, 32 at most; null where masked.")


@router.get("/learn/{chapter}/glance", summary="A chapter at a glance", response_model=GlanceReply)
async def at_a_glance(request: Request, chapter: ChapterName) -> Response:
    """Numbers of a figure of the chapter."""
    found = thumbnail_of(find(request, chapter))
    text = {"text": DEFAULT_TEXT} if found.figure.own else {}
    planned = await plan_of(request, Question.model_validate({**text, **found.figure.question}))
    names = {"figure": found.figure.name, "stage": found.stage}
    return await reply_from_trace(
        request, planned, lambda trace: {**names, "values": found.values(trace)}
    )


@router.post("/learn/{chapter}/marks", summary="Mark answers", response_model=MarksReply)
async def mark(request: Request, chapter: ChapterName, body: MarksRequest) -> Response:
    """Mark answers. For an exercise that was not answered, the computed answer stays hidden."""
    posing = exercises_in(request, chapter, body.seed, sentences=body.sentences)
    if len(body.answers) != len(posing):
        raise InvalidRequest(
            "answers_do_not_fit", at="answers", answers=len(body.answers), exercises=len(posing)
        )
    tries = body.tries or [None] * len(posing)
    if len(tries) != len(posing):
        raise InvalidRequest(
            "tries_do_not_fit", at="tries", tries=len(tries), exercises=len(posing)
        )
    rows = zip(posing, body.answers, tries, strict=True)
    marks = [mark_answer(sayer(request), exercise, given, at) for exercise, given, at in rows]
    if body.markup:
        marks = [with_formulas(each, "answer", "hint", "near", "worked") for each in marks]
    return uncached({"marks": marks})


def exercises_in(request: Request, chapter: str, seed: int, *, sentences: bool) -> list[Exercise]:
    every = exercises_for(find(request, chapter).name, seed, language_of(request))
    return [each for each in every if sentences or not each.open]


def with_formulas(said: dict[str, Any], *names: str) -> dict[str, Any]:
    return said | {
        name: str(typeset_with_cells(said[name])) for name in names if said[name] is not None
    }


def mark_answer(
    say: Callable[..., str], exercise: Exercise, given: str | None, at: int | None
) -> dict[str, Any]:
    """Hides the solution after wrong first and unreadable tries."""
    nothing = dict.fromkeys(("answer", "hint", "worked", "near")) | {"unreadable": False}
    if given is None:
        return {"right": None, **nothing}
    after = describe_solution(say, exercise)
    if exercise.open:
        return {"right": None, **nothing, "answer": after["answer"], "worked": after["worked"]}
    found = is_right(exercise, given)
    unreadable = not exercise.choices and not read_numbers(exercise, given)
    if unreadable and at is not None:
        return {"right": found, **nothing, "unreadable": True}
    slip = None if found else near_miss(exercise, given)
    near = slip and say(slip)
    if at == 1 and not found:
        return {"right": found, **nothing, "hint": after["hint"], "near": near}
    return {"right": found, **after, "hint": None, "near": near, "unreadable": unreadable}
