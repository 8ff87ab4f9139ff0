"""Addresses and hosts as requests write them, each in the one form in which it is compared."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple

from starlette.types import Scope

AUTHORITY = re.compile(r"(?:\[([\da-f]*:[\da-f:.]+)\]|([\w.-]{1,253}))(?::(\d{0,5}))?", re.A | re.I)

REMEMBERED = 1024  # hosts and addresses: nearly all requests name the same few
LONGEST = 272  # characters of a host and its port; what is longer is none, and not remembered


class Authority(NamedTuple):
    """Host and port; a name in lower case without its last dot, an address as it is written
    shortest. The port is None where none was given."""

    host: str
    port: int | None


def authority(text: str) -> Authority | None:
    """What `host:port` names, None where it is no such thing (userinfo, lists, spaces …)."""
    return _authority(text) if len(text) <= LONGEST else None


@lru_cache(REMEMBERED)
def _authority(text: str) -> Authority | None:
    found = AUTHORITY.fullmatch(text)
    if found is None:
        return None
    literal, name, port = found.groups()
    address = parsed(literal or name)
    if literal and address is None:
        return None
    host = str(address) if address else name.lower().removesuffix(".")
    return Authority(host, int(port) if port else None) if host else None


def host_of(scope: Scope) -> Authority | None:
    """What the request's one Host header names; None where there is none, or more than one."""
    given = [value for name, value in scope["headers"] if name == b"host"]
    return authority(given[0].decode("latin-1")) if len(given) == 1 else None


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address, None where the text is none; an IPv4 one that is written as IPv6 is IPv4."""
    try:
        address = ip_address(text.partition("%")[0])  # behind % stands a card of ours
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def address_of(scope: Scope) -> str:
    """The other end of the connection; empty where there is none, as on a unix socket."""
    client = scope.get("client")
    return str(client[0]) if client else ""


@lru_cache(REMEMBERED)
def network_of(address: str) -> str:
    """The part of an address that one client is given: an IPv4 address, an IPv6 /64.

    A client of IPv6 changes the other 64 bits as it likes. What is no address stays as it is.
    """
    found = parsed(address)
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address if found is None else str(found)
