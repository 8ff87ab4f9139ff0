"""Who has signed in: a signed token in a cookie, nothing on the server but the secret it is signed
with. The token names a session, and never tells the key."""

from __future__ import annotations

import hmac
import secrets
import time
from contextlib import suppress
from pathlib import Path

from fastapi import Request
from starlette.responses import Response
from starlette.types import Scope

from app.storage.secret import kept_secret, read_secret
from app.web.http.keys import Keys

COOKIE = "attnscope_session"
HOUR = 3600


class Sessions:
    """Begins, recognises and ends sessions of the keys; one ends when its key is taken away."""

    def __init__(self, keys: Keys, secret: Path, hours: float) -> None:
        self.keys = keys
        self.path = secret
        self.seconds = int(hours * HOUR)
        self._secret = b""  # until the first session: making an app touches no file

    def token(self, key_name: str) -> str:
        """A new session of a key: id.end.key.signature. Raises StorageFull where the secret cannot
        be kept."""
        self._secret = kept_secret(self.path)
        end = int(time.time()) + self.seconds
        body = f"{secrets.token_hex(8)}.{end}.{self._mark(key_name)}"
        return f"{body}.{self._sign('token', body)}"

    def id_of(self, token: str) -> str | None:
        """The id of the session that a token of ours names, None where it is over or forged."""
        if not self._secret:
            with suppress(OSError):
                self._secret = read_secret(self.path) or b""
        body, _, signature = token.rpartition(".")
        if not self._secret or not _equal(signature, self._sign("token", body)):
            return None
        session, end, mark = body.split(".")
        known = [_equal(mark, self._mark(name)) for name in self.keys.names]
        return session if any(known) and time.time() < int(end) else None

    def of(self, scope: Scope) -> str | None:
        """The id of the session of a request."""
        token = Request(scope).cookies.get(COOKIE)
        return self.id_of(token) if token and self.keys else None

    def hand_out(self, response: Response, token: str, scope: Scope) -> None:
        """Lax: a link from elsewhere opens the page signed in; forms, images and frames from
        elsewhere do not bring the cookie."""
        self._set(response, token, self.seconds, scope)

    def take_back(self, response: Response, scope: Scope) -> None:
        self._set(response, "", 0, scope)

    def _set(self, response: Response, token: str, seconds: int, scope: Scope) -> None:
        secure = scope["scheme"] == "https"
        response.set_cookie(
            COOKIE, token, seconds, path="/", secure=secure, httponly=True, samesite="lax"
        )

    def _mark(self, key_name: str) -> str:
        """What a token says of its key: nobody without the secret can try keys on it."""
        return self._sign("key", key_name)[:32]

    def _sign(self, use: str, text: str) -> str:
        return hmac.digest(self._secret, f"{use} {text}".encode(), "sha256").hex()


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
