"""GET /examples: published figures beside ours."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from app.trace.examples import examples
from app.web.problems import language_of
from app.web.schemas import ExamplesReply
from app.web.wire import JSON, to_json

router = APIRouter(tags=["examples"])


@router.get("/examples", summary="Worked examples", responses={200: {"model": ExamplesReply}})
async def read(request: Request) -> Response:
    """Worked examples of the literature with the published and the computed figures, and whether
    they agree; and sentences worth looking at."""
    catalogue, language = request.app.state.catalogue, language_of(request)
    listed = []
    for example in examples():
        figures = [asdict(figure) for figure in example.figures]
        for figure in figures:
            figure["why"] = figure["why"] and catalogue.say(language, figure["why"])
        title = catalogue.say(language, f"examples.{example.id}.title")
        about = catalogue.say(language, f"examples.{example.id}.about")
        told = {"id": example.id, "title": title, "about": about}
        listed.append({**told, "question": example.question, "figures": figures})
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language"}
    return Response(to_json({"examples": listed}), 200, headers, JSON)
