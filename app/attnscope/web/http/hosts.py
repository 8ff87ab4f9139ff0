from __future__ import annotations

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.settings import Settings
from attnscope.web.http.addresses import host_of, parse_address, parse_authority
from attnscope.web.http.problems import UnknownHost, problem

HEALTH = ("/healthz", "/readyz")  # any Host is allowed, as probes send an address
WILDCARD = "0"  # means all addresses, like 0.0.0.0 and ::


class Hosts:
    """Refuses hosts that are not allowed, against DNS rebinding. Ignores X-Forwarded-Host."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        allowed = settings.allowed_hosts
        self.names = {"localhost", *(name for name in allowed if not name.startswith("*"))}
        self.below = (".localhost", *(name[1:] for name in allowed if name.startswith("*.")))
        self.any_name = "*" in settings.allowed_hosts
        self.any_address = _is_wildcard(settings.host)
        if (bound := parse_authority(_bracketed(settings.host))) and not self.any_address:
            self.names.add(bound.host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in HEALTH:
            return await self.app(scope, receive, send)
        named = host_of(scope)
        if named is None and scope["http_version"] == "1.0" and "host" not in Headers(scope=scope):
            return await self.app(scope, receive, send)  # browsers always send Host
        if named is None:
            error = UnknownHost("unclear")
        elif not self._is_allowed(named.host, scope):
            error = UnknownHost("foreign", host=named.host)
        else:
            return await self.app(scope, receive, send)
        return await problem(Request(scope, receive), error)(scope, receive, send)

    def _is_allowed(self, host: str, scope: Scope) -> bool:
        if self.any_name or host in self.names or host.endswith(self.below):
            return True
        address = parse_address(host)
        if address is not None and (self.any_address or address.is_loopback):
            return True
        return host == _bound(scope)


def _bound(scope: Scope) -> str | None:
    """The address that received the request; None on a unix socket."""
    server = scope.get("server")
    if server is None or "/" in server[0]:
        return None
    bound = parse_authority(_bracketed(server[0]))
    return bound.host if bound else None


def _is_wildcard(host: str) -> bool:
    address = parse_address(host)
    return host == WILDCARD or (address is not None and address.is_unspecified)


def _bracketed(host: str) -> str:
    return f"[{host.partition('%')[0]}]" if ":" in host else host
