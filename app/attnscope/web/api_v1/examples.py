from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from attnscope.trace.examples import examples
from attnscope.web.http.languages import language_of
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json

router = APIRouter(tags=["examples"], route_class=JsonRoute)


class FigureReply(BaseModel):
    """A published figure and the computed one."""

    stage: str = Field(description="Stage or parameter.")
    at: dict[str, int] = Field(description="Which part of the stage; empty: all.")
    published: Any = Field(description="As printed, numbers or sizes.")
    computed: Any = Field(description="Ours, computed now.")
    agrees: bool = Field(description="Whether ours rounds to the printed one.")
    why: str | None = Field(description="Where it does not: what went wrong.")


class ExampleReply(BaseModel):
    """A worked example, or an example sentence."""

    id: str = Field(description="Name in links.")
    title: str = Field(description="In the reader's language.")
    about: str = Field(description="What to look at.")
    question: dict[str, Any] = Field(description="A body for POST /attention.")
    figures: list[FigureReply] = Field(description="Published figures beside ours.")


class ExamplesReply(BaseModel):
    """All examples."""

    examples: list[ExampleReply] = Field(description="In teaching order.")


@router.get("/examples", summary="Worked examples", responses={200: {"model": ExamplesReply}})
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
