from __future__ import annotations

from fastapi import Request
from starlette.routing import Match, Mount

ASKED_FOR = ("GET", "POST", "PUT", "PATCH", "DELETE")


def allowed(request: Request) -> str:
    """Allow header (RFC 9110, section 10.2.1); "" if no route matches."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]
    found = [
        method
        for method in ASKED_FOR
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    ]
    if "GET" in found:
        found.insert(1, "HEAD")
    return ", ".join([*found, "OPTIONS"] if found else [])
