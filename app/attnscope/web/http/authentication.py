"""API keys, and sessions as signed tokens in cookies."""

from __future__ import annotations

import hashlib
import hmac
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote, urlencode

from fastapi import Request
from itsdangerous import BadSignature, TimestampSigner
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.settings import Settings
from attnscope.storage.secret import read_secret, shared_secret
from attnscope.web.http.addresses import CREDENTIAL, address_of, network_of
from attnscope.web.http.problems import (
    HttpError,
    MissingKey,
    RateLimited,
    WrongKey,
    problem,
    wants_page,
)
from attnscope.web.http.rates import Rate

WRONG_KEYS = "20/minute"  # per client and worker


class ApiKeys:
    """Digests of the API keys."""

    def __init__(self, settings: Settings) -> None:
        self.names = [_name(key.encode()) for key in settings.api_keys]
        self.wrong = Rate(WRONG_KEYS)

    def __bool__(self) -> bool:
        return bool(self.names)

    def name_of(self, given: bytes, scope: Scope) -> str:
        """Raises WrongKey, or RateLimited after too many wrong keys, even for a right one."""
        client = network_of(address_of(scope))
        if seconds := self.wrong.wait(client):
            raise RateLimited("wrong_keys", seconds=seconds)
        name = _name(given)
        # Compare all keys, so that the time reveals nothing.
        known = [hmac.compare_digest(name, one) for one in self.names]
        if not any(known):
            self.wrong.hit(client)
            raise WrongKey("wrong")
        return name


def given_key(headers: Headers) -> bytes:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    given = key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
    return given.encode("latin-1")  # headers are decoded as latin-1


def _name(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()


COOKIE = "attnscope_session"
HOUR = 3600


class Sessions:
    def __init__(self, keys: ApiKeys, secret: Path, hours: float) -> None:
        self.keys = keys
        self.path = secret
        self.seconds = int(hours * HOUR)
        self._secret = b""  # read or created on first use

    def token(self, key_name: str) -> str:
        """A new token `id.time.signature`. Raises StorageFull."""
        self._secret = shared_secret(self.path)
        return self._signer(key_name).sign(token_hex(8)).decode()

    def id_of(self, token: str) -> str | None:
        if not self._secret:
            with suppress(OSError):
                self._secret = read_secret(self.path) or b""
        for key_name in self.keys.names if self._secret else ():
            with suppress(BadSignature):
                return self._signer(key_name).unsign(token, self.seconds - 1).decode()
        return None

    def of(self, scope: Scope) -> str | None:
        token = Request(scope).cookies.get(COOKIE)
        return self.id_of(token) if token else None

    def hand_out(self, response: Response, token: str, scope: Scope) -> None:
        """SameSite=Lax: links from other sites send the cookie, forms and frames do not."""
        self._set(response, token, self.seconds, scope)

    def take_back(self, response: Response, scope: Scope) -> None:
        self._set(response, "", 0, scope)

    def _set(self, response: Response, token: str, seconds: int, scope: Scope) -> None:
        secure = scope["scheme"] == "https"
        response.set_cookie(
            COOKIE, token, seconds, path="/", secure=secure, httponly=True, samesite="lax"
        )

    def _signer(self, key_name: str) -> TimestampSigner:
        """Salted with the key's digest, so that sessions end with the key."""
        return TimestampSigner(self._secret, key_name, key_derivation="hmac", digest_method=sha256)


# Paths that need no key.
OPEN = ("/healthz", "/readyz", "/api/openapi.json", "/favicon.ico", "/sign-in", "/sign-out")
OPEN_BELOW = ("/static/", "/problems/")
# Not rate-limited: probes and static files.
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
