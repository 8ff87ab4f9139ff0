"""Which methods a path takes: several routes may share one path, each with a method of its own."""

from __future__ import annotations

from fastapi import Request
from starlette.routing import Match, Mount

ASKED_FOR = ("GET", "POST", "PUT", "PATCH", "DELETE")


def allowed(request: Request) -> str:
    """The value of `Allow` for the path of a request (RFC 9110, section 10.2.1); "" where none of
    our own routes takes it."""
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
