"""Sentences about what is shown that is not a model's own forward pass."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import Request

from app.trace.plan import Plan
from app.web.http.languages import language_of
from app.web.texts import Catalogue


def notes_of(request: Request, planned: Plan) -> list[dict[str, str]]:
    """Of a trace: random_words only where words were given and no numbers."""
    codes = planned.model.notes
    if planned.question.x is not None:
        codes = tuple(code for code in codes if code != "random_words")
    return said(request, codes, planned.model.accepted)


def said(
    request: Request, codes: Iterable[str], accepted: Iterable[str] = ()
) -> list[dict[str, str]]:
    """Codes with their sentences in the reader's language; `accepted` are the keys they name."""
    catalogue: Catalogue = request.app.state.catalogue
    language = language_of(request)
    values = {"keys": ", ".join(accepted)}
    return [
        {"code": code, "message": catalogue.say(language, f"note.{code}", values)} for code in codes
    ]
