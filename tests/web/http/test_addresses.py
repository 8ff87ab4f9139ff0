"""Hosts, addresses and clients are compared in one form; the name of a client shows neither key nor
address."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi import Request

from attnscope.web.http.addresses import (
    CREDENTIAL,
    Authority,
    client_of,
    network_of,
    parse_authority,
)


def test_an_authority_is_compared_in_one_form(subtests: pytest.Subtests) -> None:
    cases = [
        ("A.Example.:080", Authority("a.example", 80)),
        ("a.example:", Authority("a.example", None)),
        ("[2001:DB8:0:0::1]:443", Authority("2001:db8::1", 443)),
        ("a_b", Authority("a_b", None)),
        ("[:::]", None),
    ]
    for text, found in cases:
        with subtests.test(text):
            assert parse_authority(text) == found


def test_a_network_is_what_one_client_is_given(subtests: pytest.Subtests) -> None:
    cases = [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::/64"),
        ("2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
        ("192.0.2.256", "192.0.2.256"),
    ]
    for address, network in cases:
        with subtests.test(address):
            assert network_of(address) == network


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
