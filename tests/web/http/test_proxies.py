"""Whom a proxy speaks for is believed from the proxies of the settings and from nobody else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.web.client import serving_app
from tests.web.conftest import MakeClient
from tests.web.http.asking import Headers, Reply, asked

TRUSTED = ["10.0.0.0/8", "127.0.0.1/32", "fd00::/8"]


@pytest.fixture(scope="module")
def believing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of an app that trusts some proxies."""
    with serving_app(tmp_path_factory.mktemp("data"), trusted_proxies=TRUSTED) as client:
        yield client


def through(client: TestClient, peer: str | None, headers: Headers) -> Reply:
    came_from = (peer, 1) if peer is not None else None
    return asked(client.app, "/healthz", [("Host", "localhost"), *headers], client=came_from)


ROWS = [
    ("10.0.0.1", "192.0.2.7", "192.0.2.7"),
    ("10.0.0.1", "198.51.100.1, 192.0.2.7", "192.0.2.7"),
    ("10.0.0.1", "192.0.2.7, 10.9.9.9 ,127.0.0.1", "192.0.2.7"),
    ("10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"),
    ("10.0.0.1", "192.0.2.7:4321", "192.0.2.7"),
    ("10.0.0.1", "2001:DB8:0::7", "2001:db8::7"),
    ("10.0.0.1", "[2001:db8::7]:4321", "2001:db8::7"),
    ("10.0.0.1", "[2001:db8::7]", "2001:db8::7"),
    ("10.0.0.1", "::ffff:192.0.2.7", "192.0.2.7"),
    ("::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"),
    ("fd00::1", "192.0.2.7", "192.0.2.7"),
    # Nobody trusted vouches for what stands left of something that is no address.
    ("10.0.0.1", "", "10.0.0.1"),
    ("10.0.0.1", "unknown", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7, <script>", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7,", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7, _hidden, 10.0.0.2", "10.0.0.2"),
    ("10.0.0.1", "192.0.2.256", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7:x", "10.0.0.1"),
    ("10.0.0.1", "[2001:db8::7", "10.0.0.1"),
    ("10.0.0.1", "192.0.2.7" + ",10.0.0.2" * 20_000, "10.0.0.2"),
    # Not from a proxy of ours.
    ("11.0.0.1", "192.0.2.7", "11.0.0.1"),
    ("127.0.0.2", "192.0.2.7", "127.0.0.2"),
    ("::1", "192.0.2.7", "::1"),
]


def test_the_client_is_the_last_address_that_is_no_proxy(
    believing: TestClient, subtests: pytest.Subtests
) -> None:
    for peer, row, client in ROWS:
        with subtests.test(row, peer=peer):
            reply = through(believing, peer, [("X-Forwarded-For", row)])
            assert reply.status == 200
            assert reply.scope["client"][0] == client


def test_several_headers_are_one_row(believing: TestClient) -> None:
    headers = [("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "192.0.2.7, 10.0.0.2")]
    assert through(believing, "10.0.0.1", headers).scope["client"][0] == "192.0.2.7"


def test_by_default_nobody_is_believed_not_even_loopback(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for peer in ("127.0.0.1", "::1", "10.0.0.1", None):
        with subtests.test(peer=peer):
            headers = [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", "https")]
            reply = through(client, peer, headers)
            assert reply.scope["client"] == ((peer, 1) if peer else None)
            assert reply.scope["scheme"] == "http"


def test_a_trusted_proxy_sets_the_scheme(believing: TestClient, subtests: pytest.Subtests) -> None:
    cases = {"https": "https", "HTTPS": "https", "http, https": "https", "https, http": "http",
             "ftp": "http", "": "http", "https,": "http"}  # fmt: skip
    for hops, scheme in cases.items():
        with subtests.test(hops):
            headers = [("X-Forwarded-Proto", hops)]
            assert through(believing, "10.0.0.1", headers).scope["scheme"] == scheme
            assert through(believing, "11.0.0.1", headers).scope["scheme"] == "http"


def test_no_other_header_is_believed(believing: TestClient) -> None:
    headers = [("Forwarded", "for=192.0.2.7;proto=https"), ("X-Real-IP", "192.0.2.7")]
    reply = through(believing, "10.0.0.1", headers)
    assert reply.scope["client"][0] == "10.0.0.1"
    assert reply.scope["scheme"] == "http"


def test_what_a_client_writes_opens_no_second_account(make_client: MakeClient) -> None:
    path = f"/api/v1/traces/{'0' * 32}"
    client = make_client(rate_limit="1/hour", trusted_proxies=["10.0.0.1"])
    statuses = []
    for turn in range(3):
        row = ("X-Forwarded-For", f"198.51.100.{turn}, 192.0.2.7")
        statuses.append(
            asked(client.app, path, [("Host", "localhost"), row], client=("10.0.0.1", 1)).status
        )
    assert statuses == [404, 429, 429]
