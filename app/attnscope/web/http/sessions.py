"""Who has signed in: a signed token in a cookie, nothing on the server but the secret it is signed
with. The token names a session, and never tells the key."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from fastapi import Request
from itsdangerous import BadSignature, TimestampSigner
from starlette.responses import Response
from starlette.types import Scope

from attnscope.storage.secret import kept_secret, read_secret
from attnscope.web.http.keys import ApiKeys

COOKIE = "attnscope_session"
HOUR = 3600


class Sessions:
    """Begins, recognises and ends sessions of the keys; one ends when its key is taken away."""

    def __init__(self, keys: ApiKeys, secret: Path, hours: float) -> None:
        self.keys = keys
        self.path = secret
        self.seconds = int(hours * HOUR)
        self._secret = b""  # until the first session: making an app touches no file

    def token(self, key_name: str) -> str:
        """A new session of a key: id.time.signature. Raises StorageFull where the secret cannot be
        kept."""
        self._secret = kept_secret(self.path)
        return self._signer(key_name).sign(token_hex(8)).decode()

    def id_of(self, token: str) -> str | None:
        """The id of the session that a token of ours names, None where it is over or forged."""
        if not self._secret:
            with suppress(OSError):
                self._secret = read_secret(self.path) or b""
        for key_name in self.keys.names if self._secret else ():
            with suppress(BadSignature):
                return self._signer(key_name).unsign(token, self.seconds - 1).decode()
        return None

    def of(self, scope: Scope) -> str | None:
        """The id of the session of a request."""
        token = Request(scope).cookies.get(COOKIE)
        return self.id_of(token) if token else None

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

    def _signer(self, key_name: str) -> TimestampSigner:
        """Signs for one key alone; nobody without the secret can try keys on a signature."""
        return TimestampSigner(self._secret, key_name, key_derivation="hmac", digest_method=sha256)
