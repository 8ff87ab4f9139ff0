"""Hosts and addresses are compared in one form, however they are written."""

from __future__ import annotations

import pytest

from attnscope.web.http.addresses import Authority, authority, network_of


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
            assert authority(text) == found


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
