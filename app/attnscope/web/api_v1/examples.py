from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.trace.examples import examples
from attnscope.web.http.languages import language_of
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json

router = APIRouter(tags=["examples"], route_class=JsonRoute)


@described
class FigureReply:
    """A published figure and the computed one."""

    stage: str = doc("Stage or parameter.")
    at: dict[str, int] = doc("Which part of the stage; empty: all.")
    published: Any = doc("As printed, numbers or sizes.")
    computed: Any = doc("Ours, computed now.")
    agrees: bool = doc("Whether ours rounds to the printed one.")
    why: str | None = doc("Where it does not: what went wrong.")


@described
class ExampleReply:
    """A worked example, or an example sentence."""

    id: str = doc("Name in links.")
    title: str = doc("In the reader's language.")
    about: str = doc("What to look at.")
    question: dict[str, Any] = doc("A body for POST /attention.")
    figures: list[FigureReply] = doc("Published figures beside ours.")


@described
class ExamplesReply:
    """All examples."""

    examples: list[ExampleReply] = doc("In teaching order.")


@router.get("/examples", summary="Worked examples", response_model=ExamplesReply)
async def read(request: Request) -> Response:
    """Worked examples with published and computed figures, and example sentences."""
    catalogue, language = request.app.state.catalogue, language_of(request)
    listed = []
    for example in examples():
        figures = [asdict(figure) for figure in example.figures]
        for figure in figures:
            figure["why"] = figure["why"] and catalogue.say(language, figure["why"])
        title = catalogue.say(language, f"examples.{example.id}.title")
        about = catalogue.say(language, f"examples.{example.id}.about")
        fields = {"id": example.id, "title": title, "about": about}
        listed.append({**fields, "question": example.question, "figures": figures})
    return reply(request, to_json({"examples": listed}), JSON)
