from __future__ import annotations

from urllib.parse import quote, urlencode

from fastapi import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.settings import Settings
from attnscope.web.http.addresses import CREDENTIAL, address_of, network_of
from attnscope.web.http.keys import ApiKeys, given_key
from attnscope.web.http.problems import HttpError, MissingKey, RateLimited, problem, wants_page
from attnscope.web.http.rates import Rate
from attnscope.web.http.sessions import Sessions

# Paths that need no key.
OPEN = ("/healthz", "/readyz", "/api/openapi.json", "/favicon.ico", "/sign-in", "/sign-out")
OPEN_BELOW = ("/static/", "/problems/")
# Not rate-limited: probes, and a page's dozen static files.
UNCOUNTED, UNCOUNTED_BELOW = ("/healthz", "/readyz"), "/static/"
LONGEST = 8_000  # characters


class AuthMiddleware:
    """Checks key, session and rate before the body is read."""

    def __init__(self, app: ASGIApp, settings: Settings, keys: ApiKeys, sessions: Sessions) -> None:
        self.app = app
        self.keys = keys
        self.sessions = sessions
        self.rate = Rate(settings.rate_limit) if settings.rate_limit else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        request = Request(scope, receive)
        try:
            self._check_rate(scope)
            self._check_key(request)
        except HttpError as error:
            return await _refused(request, error)(scope, receive, send)
        return await self.app(scope, receive, send)

    def _check_rate(self, scope: Scope) -> None:
        path = scope["path"]
        if self.rate is None or path in UNCOUNTED or path.startswith(UNCOUNTED_BELOW):
            return
        client = network_of(address_of(scope))
        if seconds := self.rate.wait(client):
            raise RateLimited("too_fast", rate=self.rate.text, seconds=seconds)
        self.rate.hit(client)

    def _check_key(self, request: Request) -> None:
        scope = request.scope
        if not self.keys or is_open(scope["path"]):
            return
        if given := given_key(request.headers):
            scope[CREDENTIAL] = f"key {self.keys.name_of(given, scope)}"
        elif session := self.sessions.of(scope):
            scope[CREDENTIAL] = f"session {session}"
        else:
            raise MissingKey("missing")


def is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)


def _refused(request: Request, error: HttpError) -> Response:
    if isinstance(error, MissingKey) and request.method == "GET" and wants_page(request):
        return RedirectResponse(_sign_in(request), 303, {"Cache-Control": "no-store"})
    return problem(request, error)


def _sign_in(request: Request) -> str:
    path, query = quote(request.scope["path"]), request.scope["query_string"].decode("latin-1")
    here = f"{path}?{query}" if query else path
    wanted = {"next": here if len(here) <= LONGEST else path[:LONGEST]}
    if language := request.query_params.get("lang"):
        wanted["lang"] = language
    return f"/sign-in?{urlencode(wanted)}"
