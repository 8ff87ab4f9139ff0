"""What a page of another origin may ask for: nothing that changes anything, nothing that computes.

A browser sends some requests of any page anywhere (forms, images), and our answers are out of that
page's sight, but the work would be done. Programs send neither Origin nor Sec-Fetch-Site.
"""

from __future__ import annotations

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.web.http.addresses import authority, host_of
from attnscope.web.http.problems import CrossSite, problem

READING = ("GET", "HEAD", "OPTIONS")
OURS = ("same-origin", "none")  # none: the person did it, by the address bar or a bookmark
PORTS = {"http": 80, "https": 443}


class Origins:
    """Refuses, before anything is read, what a foreign page asks that changes or computes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_ours(scope) or _is_harmless(scope):
            return await self.app(scope, receive, send)
        return await problem(Request(scope, receive), CrossSite("foreign"))(scope, receive, send)


def is_ours(scope: Scope) -> bool:
    """Whether no page of another origin asks: Sec-Fetch-Site tells, else Origin.

    Browsers leave Sec-Fetch-Site out on plain http to anything but loopback.
    """
    headers = Headers(scope=scope)
    if sites := headers.getlist("sec-fetch-site"):
        return len(sites) == 1 and sites[0] in OURS
    origins = headers.getlist("origin")
    return not origins or (len(origins) == 1 and _is_own(origins[0], scope))


def _is_harmless(scope: Scope) -> bool:
    """Whether nothing is changed, and nothing computed unless a person follows a link here."""
    headers = Headers(scope=scope)
    followed = headers.get("sec-fetch-mode") == "navigate"
    linked = followed and headers.get("sec-fetch-dest") == "document"
    return scope["method"] in READING and (linked or not scope["path"].startswith("/api/v1/"))


def _is_own(origin: str, scope: Scope) -> bool:
    """Whether the origin is the host that the request is for; `null` and the like are not."""
    scheme, _, rest = origin.partition("://")
    named, host = authority(rest), host_of(scope)
    if scheme not in PORTS or named is None or host is None:
        return False
    # A proxy may have taken the TLS off, so https is believed where http came; never the reverse.
    if scope["scheme"] == "https" != scheme:
        return False
    default = PORTS[scheme]
    return (named.host, named.port or default) == (host.host, host.port or default)
