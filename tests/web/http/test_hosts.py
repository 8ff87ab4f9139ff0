"""A server answers under its own names alone, so that no foreign name can be pointed at it."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import ATTENTION, problem_of
from tests.web.conftest import MakeClient
from tests.web.http.asking import asked

PATH = "/api/v1/examples"
# fmt: off
OWN = ["localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1", "127.8.9.1", "[::1]",
       "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "localhost:1", "127.0.0.1:65535", "[::1]:80"]
FOREIGN = ["evil.example", "localhost.evil.example", "notlocalhost", "192.0.2.7", "[2001:db8::1]",
           "0.0.0.0", "[::]", "127.0.0.1.evil.example", "2130706433", "0x7f.1", "127.1"]
UNCLEAR = ["", ".", ":80", "localhost@evil.example", "evil.example@localhost", "localhost, evil",
           "localhost/", "localhost#", "localhost\\evil", "[::1", "::1", "[::1]evil", "[localhost]",
           "[127.0.0.1]", "localhost:80:80", "localhost:x", "http://localhost", "localhost evil",
           "lo\x00calhost", "löcalhost", "[fe80::1%25eth0]", "a" * 254]
# fmt: on
PATHS = [PATH, "/", "/api", "/metrics", "/api/openapi.json", "/nothing", "/static/x"]


def status(client: TestClient, *hosts: str, path: str = PATH, **scope: Any) -> int:
    """What a request with these Host headers is answered."""
    return asked(client.app, path, [("Host", host) for host in hosts], **scope).status


def test_loopback_names_are_always_its_own(client: TestClient, subtests: pytest.Subtests) -> None:
    for host in OWN:
        with subtests.test(host):
            assert status(client, host) == 200
            assert status(client, host, server=None) == 200
            assert status(client, host, server=("/run/attnscope.sock", None)) == 200


def test_another_host_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for host in FOREIGN + UNCLEAR:
        with subtests.test(host):
            for path in PATHS:
                assert status(client, host, path=path) == 421


def test_a_question_under_a_foreign_name_is_not_even_read(client: TestClient) -> None:
    response = client.post(ATTENTION, content=b"{", headers={"Host": "evil.example"})
    assert "evil.example" in problem_of(response, 421, "unknown_host")["detail"]


def test_health_answers_any_host(client: TestClient, subtests: pytest.Subtests) -> None:
    for host in FOREIGN + UNCLEAR:
        with subtests.test(host):
            assert status(client, host, path="/healthz") == 200
            assert status(client, host, path="/readyz") == 200
            assert status(client, path="/healthz") == 200


def test_the_address_that_the_connection_came_to_is_its_own(client: TestClient) -> None:
    assert status(client, "192.0.2.7:9", server=("192.0.2.7", 8000)) == 200
    assert status(client, "192.0.2.8", server=("192.0.2.7", 8000)) == 421
    assert status(client, "[2001:db8:0::1]", server=("2001:db8::1", 8000)) == 200
    assert status(client, "192.0.2.7", server=("::ffff:192.0.2.7", 8000)) == 200
    assert status(client, "testserver") == 421


def test_the_name_it_listens_on_is_its_own(make_client: MakeClient) -> None:
    client = make_client(host="Lab.example")
    assert status(client, "lab.example:8000", server=("192.0.2.7", 8000)) == 200
    assert status(make_client(host="2001:db8::1"), "[2001:DB8::1]") == 200


def test_bound_to_a_wildcard_any_address_is_its_own_and_no_name(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    for wildcard in ("0.0.0.0", "::", "0:0::0"):
        with subtests.test(wildcard):
            client = make_client(host=wildcard)
            for host in ("192.0.2.7", "[2001:db8::1]:8000", "0.0.0.0", "127.0.0.1", "localhost"):
                assert status(client, host, server=("172.17.0.2", 8000)) == 200
            for host in ("evil.example", "evil", "192.0.2.7.evil.example", "2130706433", ""):
                assert status(client, host, server=("172.17.0.2", 8000)) == 421


def test_allowed_names_are_its_own(make_client: MakeClient) -> None:
    client = make_client(allowed_hosts=["A.example", "*.b.example", "192.0.2.7"])
    for host in ("a.example", "A.EXAMPLE.:80", "x.b.example", "x.y.b.example", "192.0.2.7"):
        assert status(client, host) == 200
    for host in ("x.a.example", "b.example", "xb.example", "a.example.evil", "192.0.2.8"):
        assert status(client, host) == 421


def test_a_star_allows_every_name_but_nothing_unclear(make_client: MakeClient) -> None:
    client = make_client(allowed_hosts=["*"])
    for host in ("evil.example", "192.0.2.7", "[2001:db8::1]"):
        assert status(client, host) == 200
    for host in UNCLEAR:
        assert status(client, host) == 421


def test_two_hosts_are_none(client: TestClient) -> None:
    for hosts in (("localhost", "evil.example"), ("localhost", "localhost")):
        assert status(client, *hosts) == 421
        assert status(client, *hosts, http_version="1.0") == 421


def test_only_the_oldest_http_may_leave_the_host_out(client: TestClient) -> None:
    assert status(client) == 421
    assert status(client, http_version="1.0") == 200


def test_no_other_header_says_which_host_is_meant(client: TestClient) -> None:
    for name in ("X-Forwarded-Host", "X-Host", "X-Original-Host", "Forwarded"):
        for mine, other in (("localhost", "evil.example"), ("evil.example", "localhost")):
            told_host = f"host={other}" if name == "Forwarded" else other
            reply = asked(client.app, PATH, [("Host", mine), (name, told_host)])
            assert reply.status == (200 if mine == "localhost" else 421)


def test_a_host_that_is_refused_becomes_no_code(client: TestClient) -> None:
    headers = [("Host", "<script>"), ("Accept", "text/html")]
    reply = asked(client.app, "/", headers)
    assert reply.status == 421
    assert b"<script>" not in reply.body
    assert asked(client.app, "/", [("Host", "a" * 250), headers[1]]).status == 421


def test_what_a_socket_sends_is_held_to_the_same(live_server: str) -> None:
    port = int(live_server.rpartition(":")[2])
    lines = {
        f"GET {PATH} HTTP/1.1\r\nHost: evil.example": 421,
        f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}": 200,
        f"GET {PATH} HTTP/1.0": 200,
        # The target in full form: the Host header decides, as if the target were a path.
        f"GET http://evil.example{PATH} HTTP/1.1\r\nHost: evil.example": 421,
        f"GET http://localhost{PATH} HTTP/1.1\r\nHost: evil.example": 421,
        "GET /healthz HTTP/1.1\r\nHost: evil.example": 200,
    }
    for text, expected in lines.items():
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(f"{text}\r\nConnection: close\r\n\r\n".encode())
            line = connection.makefile("rb").readline().decode()
        assert line.split()[1] == str(expected), text
