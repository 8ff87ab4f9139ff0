"""One client, one name, however it comes; nobody reads a key or an address out of it."""

from __future__ import annotations

import re
from typing import Any

from fastapi import Request

from attnscope.web.http.clients import CREDENTIAL, client_of


def scope(address: str | None, credential: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "http", "client": (address, 5000) if address else None}
    return made | ({CREDENTIAL: credential} if credential else {})


def test_a_name_is_short_and_says_nothing() -> None:
    for asked in (scope("192.0.2.7"), scope(None), scope("192.0.2.7", "key abc")):
        name = client_of(asked)
        assert re.fullmatch("[0-9a-f]{16}", name)
        assert client_of(Request(asked)) == name


def test_a_name_is_the_same_after_a_restart() -> None:
    assert client_of(scope("192.0.2.7")) == "ffb59ae3a06f7808"


def test_a_key_is_one_client_wherever_it_comes_from() -> None:
    assert client_of(scope("192.0.2.7", "key a")) == client_of(scope("192.0.2.8", "key a"))
    named = [None, "key a", "key b", "session a"]
    assert len({client_of(scope("192.0.2.7", one)) for one in named}) == len(named)


def test_without_a_credential_the_network_is_the_client() -> None:
    assert client_of(scope("192.0.2.7")) != client_of(scope("192.0.2.8"))
    assert client_of(scope("2001:db8::1")) == client_of(scope("2001:db8::ffff:2:3"))
    assert client_of(scope("2001:db8::1")) != client_of(scope("2001:db8:0:1::1"))
