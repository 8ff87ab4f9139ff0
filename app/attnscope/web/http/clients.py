"""Who asks, by an opaque short name: what is shared out is shared out by it."""

from __future__ import annotations

import hashlib

from fastapi import Request
from starlette.types import Scope

from attnscope.web.http.addresses import address_of, network_of

# Where the doors note what they let in by: "key …" or "session …", checked; never a key itself.
CREDENTIAL = "attnscope.credential"


def client_of(asker: Request | Scope) -> str:
    """16 hex digits that are the same for one client, in every worker and after a restart:
    of its key, else of its session, else of its network."""
    scope = asker.scope if isinstance(asker, Request) else asker
    found = scope.get(CREDENTIAL) or f"network {network_of(address_of(scope))}"
    return hashlib.blake2s(found.encode(), digest_size=8).hexdigest()
