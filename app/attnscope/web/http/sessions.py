"""Sessions, as signed tokens in cookies."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from fastapi import Request
from itsdangerous import BadSignature, TimestampSigner
from starlette.responses import Response
from starlette.types import Scope

from attnscope.storage.secret import read_secret, shared_secret
from attnscope.web.http.keys import ApiKeys

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
        """SameSite=Lax: links from other sites work, forms and frames do not."""
        self._set(response, token, self.seconds, scope)

    def take_back(self, response: Response, scope: Scope) -> None:
        self._set(response, "", 0, scope)

    def _set(self, response: Response, token: str, seconds: int, scope: Scope) -> None:
        secure = scope["scheme"] == "https"
        response.set_cookie(
            COOKIE, token, seconds, path="/", secure=secure, httponly=True, samesite="lax"
        )

    def _signer(self, key_name: str) -> TimestampSigner:
        """The salt is the key's digest, so sessions end with the key, and do not reveal it."""
        return TimestampSigner(self._secret, key_name, key_derivation="hmac", digest_method=sha256)
