from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, TypeVar

from fastapi import APIRouter, Query, Request, Response

from attnscope import cancellation
from attnscope.errors import Unknown
from attnscope.installed.model_registry import shipped_model
from attnscope.learn import BY_NAME, CHAPTERS, PARTS
from attnscope.learn.arithmetic import symbol, with_chinese_commas
from attnscope.learn.chapter import Chapter, minutes
from attnscope.learn.errata import DOCUMENTS, Erratum, of_chapter
from attnscope.learn.exercises import exercises, format_answer
from attnscope.learn.lines.steps import ALWAYS_AVAILABLE, BY_STAGE, INDICES
from attnscope.learn.parts import (
    Course,
    Exercise,
    Figure,
    Formula,
    Lines,
    Measured,
    Part,
    Program,
    Table,
    Worked,
)
from attnscope.learn.search import LONGEST, fold_case, search
from attnscope.learn.terms import TERMS
from attnscope.learn.why import ARROW, own_words
from attnscope.trace.examples import example
from attnscope.web.http.accept_headers import language_of, sayer
from attnscope.web.http.replies import RELEASE
from attnscope.web.http.requests import admission_of
from attnscope.web.pages.address import CHAPTER
from attnscope.web.pages.data import colors, page_data
from attnscope.web.pages.passages import passages, typeset_with_cells
from attnscope.web.pages.site import PageRoute, Site, site_of
from attnscope.web.serializers.typeset import typeset
from attnscope.web.texts import DEFAULT

T = TypeVar("T")
MOST_SHEETS = 40
LAST_SHEET = 999_999_999
DRAWN = {field.name for field in dataclass_fields(Figure)}

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/learn")
async def contents(request: Request, q: str = Query("", max_length=LONGEST)) -> Response:
    site, language = site_of(request), language_of(request)
    drawing = {"lang": language, "release": RELEASE, "colors": colors()}
    languages = site.catalogue.languages
    others = [said for name, said in languages.items() if name != language]
    return site.render(
        request, "learn.html", course=PARTS, minutes=time_of(site), page_data=drawing,
        q=q, longest=LONGEST, found=search(q, languages[language], *others), lit=typeset_with_cells,
    )  # fmt: skip


@router.get("/learn/terms")
async def terms(request: Request) -> Response:
    site, language = site_of(request), language_of(request)
    (other,) = (name for name in site.catalogue.languages if name != language)
    rows = [
        (site.catalogue.say(language, f"term.{name}"), site.catalogue.say(other, f"term.{name}"),
         name, chapters)
        for name, chapters in TERMS.items()
    ]  # fmt: skip
    return site.render(
        request, "terms.html", terms=sorted(rows, key=lambda row: fold_case(row[0])),
        other_lang="zh-CN" if other == "zh" else other, lit=typeset_with_cells,
    )  # fmt: skip


@router.get("/learn/errata")
async def errata(request: Request) -> Response:
    language = language_of(request)
    await compute(chain(*DOCUMENTS.values()), language)
    return site_of(request).render(
        request,
        "errata.html",
        page_data=page_data(request, learn=True),
        documents=DOCUMENTS,
        values=partial(computed, language=language),
        lit=typeset_with_cells,
    )


@router.get("/learn/{name}", openapi_extra=CHAPTER)
async def chapter(request: Request, name: str) -> Response:
    site, language, read = site_of(request), language_of(request), find(request, name)
    place, found = CHAPTERS.index(read), of_chapter(name)
    await compute(found, language)
    parts = await asyncio.to_thread(lambda: [describe_part(part, language) for part in read.parts])
    return site.render(
        request,
        "chapter.html",
        page_data=page_data(request, learn=True)
        | {
            "figures": figures(read, language),
            "chapter": name,
            "sentence": site.catalogue.say(language, "live.default"),
        },
        ahead=[],
        chapter=read,
        course=PARTS,
        number=place + 1,
        said=partial(sentences, site, language),
        minutes=time_of(site),
        all_own=all(figure.own for figure in read.figures),
        passages=passages(parts),
        lit=typeset_with_cells,
        errata=found,
        computed=partial(computed, language=language),
        before=CHAPTERS[place - 1] if place else None,
        after=CHAPTERS[place + 1] if place + 1 < len(CHAPTERS) else None,
    )


@router.get("/learn/{name}/worksheet")
async def worksheet(
    request: Request,
    name: str,
    seed: int = Query(0, ge=0, le=LAST_SHEET),
    sheets: int = Query(1, ge=1, le=MOST_SHEETS),
    key: bool = Query(True),
) -> Response:
    read = find(request, name)
    seeds = [(seed + at) % (LAST_SHEET + 1) for at in range(sheets)]
    made_ = await admission_of(request).run(
        request,
        lambda: [sheet(request, name, each) for each in seeds],
        queue="small" if sheets == 1 else "large",
    )
    return site_of(request).render(
        request, "worksheet.html", chapter=read, papers=dict(zip(seeds, made_, strict=True)),
        seed=seed, last=LAST_SHEET, count=sheets, most=MOST_SHEETS, key=key, lit=typeset_with_cells,
    )  # fmt: skip


def sheet(request: Request, name: str, seed: int) -> list[dict[str, Any]]:
    cancellation.check()
    say = sayer(request)
    posing = exercises_for(name, seed, language_of(request))
    return [describe_exercise(say, each) | describe_solution(say, each) for each in posing]


def time_of(site: Site) -> Callable[[Chapter], int]:
    return partial(minutes, words=site.catalogue.languages[DEFAULT])


def sentences(site: Site, language: str, key: str) -> list[str]:
    """The messages `key.0`, `key.1` …"""
    numbered = site.catalogue.languages[language]
    return [numbered[f"{key}.{at}"] for at in range(9) if f"{key}.{at}" in numbered]


def find(request: Request, name: str) -> Chapter:
    if name not in BY_NAME:
        raise Unknown("no_page", path=request.url.path[:200])
    return BY_NAME[name]


def figures(read: Chapter, language: str) -> dict[str, Any]:
    return {figure.name: describe_figure(figure, language) for figure in read.figures}


def describe_figure(figure: Figure, language: str) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(figure).items() if name in DRAWN}
    words = dict(fields.pop("zh") if language == "zh" else {})
    fields["look"] = {**figure.look, **words.pop("look", {})}
    fields["question"] = {**figure.question, **words}
    return fields | {"own": figure.own, "program": isinstance(figure, Program)}


def describe_part(part: Part, language: str) -> dict[str, Any]:
    kind = type(part).__name__.lower()
    if isinstance(part, Formula):
        return {"kind": kind, "mathml": typeset(part.latex, display="block")}
    if isinstance(part, Worked):
        return {"kind": kind, "example": example(part.example)}
    if isinstance(part, Program):
        return {"kind": kind, **asdict(part), "own": part.own}
    if isinstance(part, Figure):
        return {"kind": kind, "name": part.name, "own": part.own, "cards": part.view == "cards"}
    if isinstance(part, Course):
        return {"kind": kind, "columns": part.columns, "rows": steps_of(part, language)}
    if isinstance(part, Lines):
        return {"kind": kind, "name": part.name, "steps": [blank(name) for name in part.stages]}
    if isinstance(part, Table):
        return {"kind": kind, **asdict(part)}
    if isinstance(part, Measured):
        rows = cached(of_language(part.rows, part.zh, language))
        return {"kind": kind, "name": part.name, "columns": part.columns, "rows": rows}
    values = in_prose(cached(of_language(part.values, part.zh, language)), language)
    return {
        "kind": kind, "key": part.key, "values": values, "leads_to": part.leads_to,
        "apart": part.apart,
    }  # fmt: skip


def blank(stage: str) -> dict[str, Any]:
    step = BY_STAGE[stage]
    loops = [
        f"{'    ' * depth}for {variable} in {counted}:"
        for depth, (variable, counted) in enumerate(step.loops.items())
    ]
    target = f"{'    ' * len(loops)}{stage}[{', '.join(step.indices)}] ="
    given = [f"{name}[{', '.join(INDICES[name])}]" for name in step.given]
    return {
        "stage": stage,
        "before": "\n".join([*loops, target]),
        "names": [*given, *ALWAYS_AVAILABLE],
    }


def of_language(
    make: Callable[[], T], zh: Callable[[], T] | None, language: str
) -> Callable[[], T]:
    return zh if zh and language == "zh" else make


@cache
def cached(make: Callable[[], T]) -> T:
    return make()


async def compute(errata: Iterable[Erratum], language: str) -> None:
    await asyncio.to_thread(lambda: [computed(each, language) for each in errata])


@cache
def computed(erratum: Erratum, language: str) -> Mapping[str, str]:
    return in_prose(erratum.values_in(language), language)


def in_prose(values: Mapping[str, str], language: str) -> Mapping[str, str]:
    return with_chinese_commas(values) if language == "zh" else values


def steps_of(part: Course, language: str) -> list[list[float]]:
    """Every n-th training step, and the last."""
    name = part.zh if part.zh and language == "zh" else part.model
    steps = shipped_model(name).figures["course"]
    chosen = steps[:: part.every] + ([] if (len(steps) - 1) % part.every == 0 else steps[-1:])
    return [[step[name] for name in part.columns] for step in chosen]


@lru_cache(maxsize=64)
def exercises_for(name: str, seed: int, language: str) -> tuple[Exercise, ...]:
    """The marked exercises, then one that asks for a sentence."""
    return (*exercises(BY_NAME[name], seed, language), own_words(name, seed))


def describe_exercise(say: Callable[..., str], exercise: Exercise) -> dict[str, Any]:
    return {
        "name": exercise.name,
        "kind": exercise.kind,
        "prompt": say(exercise.prompt, exercise.values),
        "choices": [
            {"value": choice, "label": label_of(say, choice)} for choice in exercise.choices
        ],
        "decimals": exercise.decimals,
        "open": exercise.open,
        "given": [
            asdict(given) | {"label": caption_of(say, given.name)} for given in exercise.given
        ],
        "question": exercise.question,
    }


def caption_of(say: Callable[..., str], name: str) -> str:
    key = f"stage.{name}"
    said = say(key)
    return symbol(name) if said == key else said


def label_of(say: Callable[..., str], choice: str) -> str:
    """`choice`: a message key, or stages joined by ARROW."""
    stages = choice.split(ARROW)
    return ARROW.join(caption_of(say, name) for name in stages) if stages[1:] else say(choice)


def describe_solution(say: Callable[..., str], exercise: Exercise) -> dict[str, str]:
    answer = label_of(say, format_answer(exercise))
    values = {**exercise.values, **exercise.worked, "answer": answer}
    return {
        "hint": say(f"exercise.{exercise.kind}.hint", exercise.values),
        "answer": answer,
        "worked": say(f"exercise.{exercise.kind}.worked", values),
    }
