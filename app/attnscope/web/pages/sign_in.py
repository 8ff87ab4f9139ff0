from __future__ import annotations

import asyncio
import re
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from attnscope.errors import AttnscopeError
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.authentication import ApiKeys, Sessions
from attnscope.web.http.problems import (
    BodyTooLarge,
    HttpError,
    MissingKey,
    headers_of,
    sentence,
    status_of,
    wants_page,
)
from attnscope.web.http.requests import StrictRoute
from attnscope.web.pages.site import site_of

# A local path, unlike //evil, /\evil and /<tab>/evil.
LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
MOST = 16 << 10  # bytes
NO_STORE = {"Cache-Control": "no-store"}
Next = Annotated[str, Query(description="Where to go after signing in.")]
router = APIRouter(include_in_schema=False, route_class=StrictRoute)


@router.get("/sign-in")
async def ask(request: Request, next: Next = "") -> Response:
    to = local(next)
    if not keys_of(request) or sessions_of(request).of(request.scope):
        return RedirectResponse(to, 303, NO_STORE)
    return form(request)


@router.post("/sign-in")
async def enter(request: Request, next: Next = "") -> Response:
    given, keys = await fields(request), keys_of(request)
    to = local(next)
    if not keys:
        return RedirectResponse(to, 303, NO_STORE)
    try:
        key = given.get("key", "").strip()
        if not key:
            raise MissingKey("empty")
        name = keys.name_of(key.encode(errors="replace"), request.scope)
    except HttpError as error:
        if not wants_page(request):
            raise
        return form(request, error)
    sessions = sessions_of(request)
    token = await asyncio.to_thread(sessions.token, name)
    response = RedirectResponse(to, 303, NO_STORE)
    sessions.hand_out(response, token, request.scope)
    return response


@router.post("/sign-out")
async def leave(request: Request) -> Response:
    response = RedirectResponse("/sign-in", 303, NO_STORE)
    sessions_of(request).take_back(response, request.scope)
    return response


def local(address: str) -> str:
    return address if LOCAL.fullmatch(address) else "/"


async def fields(request: Request) -> dict[str, str]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST:
            raise BodyTooLarge("form")
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


def form(request: Request, error: AttnscopeError | None = None) -> Response:
    site, language = site_of(request), language_of(request)
    detail = sentence(site.catalogue, language, error) if error else None
    status = status_of(error) if error else 200
    page = site.render(request, "sign-in.html", status, detail=detail)
    page.headers.update(headers_of(language, error) if error else NO_STORE)
    # With no-referrer, the form would send Origin: null.
    page.headers["Referrer-Policy"] = "same-origin"
    return page


def keys_of(request: Request) -> ApiKeys:
    keys: ApiKeys = request.app.state.keys
    return keys


def sessions_of(request: Request) -> Sessions:
    sessions: Sessions = request.app.state.sessions
    return sessions
