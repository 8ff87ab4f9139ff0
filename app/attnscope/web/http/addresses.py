"""Addresses and names of clients, allowed hosts, and protection against cross-site requests."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnscope.settings import Settings
from attnscope.web.http.problems import CrossSite, UnknownHost, problem

AUTHORITY = re.compile(r"(?:\[([\da-f]*:[\da-f:.]+)\]|([\w.-]{1,253}))(?::(\d{0,5}))?", re.A | re.I)

REMEMBERED = 1024
LONGEST = 272  # characters
# Scope entry: "key <digest of the API key>" or "session <id>".
CREDENTIAL = "attnscope.credential"


class Authority(NamedTuple):
    """`host`: a lower-case name without final dot, or an address in its shortest form."""

    host: str
    port: int | None


def parse_authority(text: str) -> Authority | None:
    return _authority(text) if len(text) <= LONGEST else None


@lru_cache(REMEMBERED)
def _authority(text: str) -> Authority | None:
    found = AUTHORITY.fullmatch(text)
    if found is None:
        return None
    literal, name, port = found.groups()
    address = parse_address(literal or name)
    if literal and address is None:
        return None
    host = str(address) if address else name.lower().removesuffix(".")
    return Authority(host, int(port) if port else None) if host else None


def host_of(scope: Scope) -> Authority | None:
    """The Host header; None unless there is exactly one and it is well-formed."""
    given = [value for name, value in scope["headers"] if name == b"host"]
    return parse_authority(given[0].decode("latin-1")) if len(given) == 1 else None


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address, or None. IPv4-mapped IPv6 becomes IPv4."""
    try:
        address = ip_address(text.partition("%")[0])  # without IPv6 zone
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def address_of(scope: Scope) -> str:
    """The client's address; empty on a unix socket."""
    client = scope.get("client")
    return str(client[0]) if client else ""


@lru_cache(REMEMBERED)
def network_of(address: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 one: clients vary the low 64 bits."""
    found = parse_address(address)
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address if found is None else str(found)


def client_of(asker: Request | Scope) -> str:
    """A hash of the key, session or network, the same in all workers."""
    scope = asker.scope if isinstance(asker, Request) else asker
    found = scope.get(CREDENTIAL) or f"network {network_of(address_of(scope))}"
    return hashlib.blake2s(found.encode(), digest_size=8).hexdigest()


HEALTH = ("/healthz", "/readyz")  # with any Host, as probes send an address
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
            return await self.app(scope, receive, send)  # no browser: those send Host
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


READING = ("GET", "HEAD", "OPTIONS")
OURS = ("same-origin", "none")  # none: a typed address or bookmark
PORTS = {"http": 80, "https": 443}


class Origins:
    """Refuses cross-site writes and, except links, reads of the API, before reading bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_ours(scope) or _is_harmless(scope):
            return await self.app(scope, receive, send)
        return await problem(Request(scope, receive), CrossSite("foreign"))(scope, receive, send)


def is_ours(scope: Scope) -> bool:
    """Check Sec-Fetch-Site, or Origin if missing (plain http)."""
    headers = Headers(scope=scope)
    if sites := headers.getlist("sec-fetch-site"):
        return len(sites) == 1 and sites[0] in OURS
    origins = headers.getlist("origin")
    return not origins or (len(origins) == 1 and _is_own(origins[0], scope))


def _is_harmless(scope: Scope) -> bool:
    """Whether a GET, HEAD or OPTIONS follows a link or is not to the API."""
    headers = Headers(scope=scope)
    followed = headers.get("sec-fetch-mode") == "navigate"
    linked = followed and headers.get("sec-fetch-dest") == "document"
    return scope["method"] in READING and (linked or not scope["path"].startswith("/api/v1/"))


def _is_own(origin: str, scope: Scope) -> bool:
    scheme, _, rest = origin.partition("://")
    named, host = parse_authority(rest), host_of(scope)
    if scheme not in PORTS or named is None or host is None:
        return False
    # A page on https may reach http behind a TLS proxy; never the reverse.
    if scope["scheme"] == "https" != scheme:
        return False
    default = PORTS[scheme]
    return (named.host, named.port or default) == (host.host, host.port or default)
