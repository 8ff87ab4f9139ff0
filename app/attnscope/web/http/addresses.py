from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from fastapi import Request
from starlette.types import Scope

AUTHORITY = re.compile(r"(?:\[([\da-f]*:[\da-f:.]+)\]|([\w.-]{1,253}))(?::(\d{0,5}))?", re.A | re.I)

REMEMBERED = 1024
LONGEST = 272  # characters
# Scope key: "key <name>" or "session <id>", never the key itself.
CREDENTIAL = "attnscope.credential"


class Authority(NamedTuple):
    """`host`: a lower-case name without final dot, or the shortest form of an address."""

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
    """The Host header; None unless there is exactly one."""
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
    """An IPv4 address, or the /64 network of IPv6, in which clients choose their address."""
    found = parse_address(address)
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address if found is None else str(found)


def client_of(asker: Request | Scope) -> str:
    """A hash of the key, session or network, the same in all workers."""
    scope = asker.scope if isinstance(asker, Request) else asker
    found = scope.get(CREDENTIAL) or f"network {network_of(address_of(scope))}"
    return hashlib.blake2s(found.encode(), digest_size=8).hexdigest()
