from __future__ import annotations

from collections.abc import Iterable

from fastapi import Request

from attnscope.families.keys import MOST_SHOWN
from attnscope.trace.plan import Plan
from attnscope.web.http.languages import sayer


def notes_of(request: Request, planned: Plan) -> list[dict[str, str]]:
    codes = planned.model.notes
    if planned.question.x is not None:
        codes = tuple(code for code in codes if code != "random_words")
    return messages_of(request, codes, planned.model.accepted)


def messages_of(
    request: Request, codes: Iterable[str], accepted: Iterable[str] = ()
) -> list[dict[str, str]]:
    """`accepted`: config keys to name."""
    say, values = sayer(request), {"keys": ", ".join(accepted)[:MOST_SHOWN]}
    return [{"code": code, "message": say(f"note.{code}", values)} for code in codes]
