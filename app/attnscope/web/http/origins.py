"""Protection against cross-site requests; programs send neither Origin nor Sec-Fetch-Site."""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.web.http.addresses import host_of, parse_authority
from attnscope.web.http.problems import CrossSite, problem

READING = ("GET", "HEAD", "OPTIONS")
OURS = ("same-origin", "none")  # none: typed, or a bookmark
PORTS = {"http": 80, "https": 443}


class Origins:
    """Refuses cross-site requests that change or compute, before their body is read."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_ours(scope) or _is_harmless(scope):
            return await self.app(scope, receive, send)
        return await problem(Request(scope, receive), CrossSite("foreign"))(scope, receive, send)


def is_ours(scope: Scope) -> bool:
    """Use Sec-Fetch-Site, which browsers send only over https and to loopback, else Origin."""
    headers = Headers(scope=scope)
    if sites := headers.getlist("sec-fetch-site"):
        return len(sites) == 1 and sites[0] in OURS
    origins = headers.getlist("origin")
    return not origins or (len(origins) == 1 and _is_own(origins[0], scope))


def _is_harmless(scope: Scope) -> bool:
    """Whether a request follows a link, or reads outside the API."""
    headers = Headers(scope=scope)
    followed = headers.get("sec-fetch-mode") == "navigate"
    linked = followed and headers.get("sec-fetch-dest") == "document"
    return scope["method"] in READING and (linked or not scope["path"].startswith("/api/v1/"))


def _is_own(origin: str, scope: Scope) -> bool:
    scheme, _, rest = origin.partition("://")
    named, host = parse_authority(rest), host_of(scope)
    if scheme not in PORTS or named is None or host is None:
        return False
    # An https origin may match http, as a proxy may end TLS; never the reverse.
    if scope["scheme"] == "https" != scheme:
        return False
    default = PORTS[scheme]
    return (named.host, named.port or default) == (host.host, host.port or default)
