from __future__ import annotations

from ipaddress import ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.settings import Settings
from attnscope.web.http.addresses import address_of, parse_address, parse_authority

HOPS = 16  # most proxies in a chain


class Proxies:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.networks = [ip_network(one) for one in settings.trusted_proxies]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.networks and scope["type"] == "http" and self._trusted(address_of(scope)):
            headers = Headers(scope=scope)
            scope["client"] = (self._client(address_of(scope), headers), 0)
            schemes = ",".join(headers.getlist("x-forwarded-proto"))
            if (scheme := schemes.rpartition(",")[2].strip().lower()) in ("http", "https"):
                scope["scheme"] = scheme
        return await self.app(scope, receive, send)

    def _client(self, proxy: str, headers: Headers) -> str:
        """The rightmost untrusted address in X-Forwarded-For; anything left of it may be forged."""
        nearest = proxy
        row = ",".join(headers.getlist("x-forwarded-for")).rsplit(",", HOPS)[-HOPS:]
        for hop in reversed(row):
            address = _address(hop.strip())
            if address is None:
                break
            nearest = address
            if not self._trusted(address):
                break
        return nearest

    def _trusted(self, address: str) -> bool:
        found = parse_address(address)
        return found is not None and any(found in network for network in self.networks)


def _address(hop: str) -> str | None:
    """The address of a hop, without a port: 192.0.2.7:80, [2001:db8::1]:80."""
    if (bare := parse_address(hop)) is not None:
        return str(bare)
    found = parse_authority(hop)
    return found.host if found and parse_address(found.host) else None
