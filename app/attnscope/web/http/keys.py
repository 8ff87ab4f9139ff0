from __future__ import annotations

import hashlib
import hmac

from starlette.datastructures import Headers
from starlette.types import Scope

from attnscope.settings import Settings
from attnscope.web.http.addresses import address_of, network_of
from attnscope.web.http.problems import RateLimited, WrongKey
from attnscope.web.http.rates import Rate

WRONG_KEYS = "20/minute"  # for each client and worker


class ApiKeys:
    """API keys, stored as digests."""

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
        # Compare with all keys: the time must reveal nothing.
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
