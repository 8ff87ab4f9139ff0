from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.trace.examples import examples
from attnscope.web.api_v1.answers import json_reply
from attnscope.web.http.accept_headers import sayer
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["examples"], route_class=JsonRoute)


@described
class FigureReply:
    """A published figure and the computed one."""

    stage: str = doc("Stage or parameter.")
    at: dict[str, int] = doc("Which part of the stage; empty: all.")
    published: Any = doc("As printed, numbers or sizes.")
    computed: Any = doc("Ours, computed now.")
    agrees: bool = doc("Whether ours rounds to the printed one.")
    why: str | None = doc("Why ours differs; null if unexplained.")


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
    say, listed = sayer(request), []
    for example in examples():
        figures = [
            FigureReply(**vars(one) | {"why": one.why and say(one.why)}) for one in example.figures
        ]
        title, about = (say(f"examples.{example.id}.{key}") for key in ("title", "about"))
        listed.append(ExampleReply(example.id, title, about, example.question, figures))
    return json_reply(request, ExamplesReply(listed))
