from __future__ import annotations

import hashlib

from fastapi import Request
from starlette.types import Scope

from attnscope.web.http.addresses import address_of, network_of

# Scope key: "key <name>" or "session <id>", never the key itself.
CREDENTIAL = "attnscope.credential"


def client_of(asker: Request | Scope) -> str:
    """16 hex digits that name the key, session or network, the same in all workers."""
    scope = asker.scope if isinstance(asker, Request) else asker
    found = scope.get(CREDENTIAL) or f"network {network_of(address_of(scope))}"
    return hashlib.blake2s(found.encode(), digest_size=8).hexdigest()
