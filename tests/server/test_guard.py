"""What one connection may cost: time, bytes of headers, replies that nobody reads."""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.hostile.sockets import (
    HALF,
    HEALTH,
    Reply,
    ask,
    closed,
    connect,
    eventually,
    get,
    many,
    pour,
    reply,
    resident,
    unread,
)
from tests.server.conftest import QUICK
from tests.server.waiting import at_once
from tests.serving import PRELOADED, Running, running
from tests.web.client import BODY_KEYS, PROBLEM

MB = 1 << 20
POST = b"POST /api/v1/attention HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
LARGE = {"text": "a " * 300, "model": {"source": "seeded", "d_model": 64, "num_heads": 8}}


def assert_refused(answer: Reply | None, status: int, code: str) -> None:
    """A problem as every other: one body, the safe headers, and the end of the connection."""
    assert answer is not None
    assert (answer.status, answer.code) == (status, code)
    assert answer.headers["content-type"] == PROBLEM
    assert answer.headers["connection"] == "close"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    body = orjson.loads(answer.body)
    assert list(body) == BODY_KEYS
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["detail"].endswith(".")


def silent(port: int) -> None:
    with connect(port) as client:
        assert closed(client)


def half_a_request(port: int) -> None:
    with connect(port) as slow:
        slow.sendall(HALF)
        assert_refused(reply(slow), 408, "slow_request")
        assert closed(slow)


def bytes_that_trickle_in(port: int) -> None:
    with connect(port) as slow:
        slow.sendall(HALF)
        slow.settimeout(0.05)
        for _ in range(200):
            try:
                slow.sendall(b"x")
                slow.recv(1, socket.MSG_PEEK)
                break
            except TimeoutError:
                continue
        else:
            pytest.fail("ten seconds of one byte at a time")
        assert_refused(reply(slow), 408, "slow_request")


def kept_alive(port: int) -> None:
    with connect(port) as kept:
        for _ in range(3):
            kept.sendall(HEALTH)
            assert reply(kept).status == 200
        assert closed(kept)


def empty_lines(port: int) -> None:
    with connect(port) as kept:
        kept.sendall(HEALTH)
        assert reply(kept).status == 200
        kept.sendall(b"\r\n")
        assert_refused(reply(kept), 408, "slow_request")


def a_body_after_its_answer(port: int) -> None:
    with connect(port) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n")
        assert reply(client).status == 200
        assert closed(client)


SLOW = (silent, half_a_request, bytes_that_trickle_in, kept_alive, empty_lines,
        a_body_after_its_answer)  # fmt: skip


def test_the_server_closes_a_connection_that_sends_nothing_or_too_slowly(
    server: Running, subtests: pytest.Subtests
) -> None:
    at_once(subtests, {each.__name__: partial(each, server.port) for each in SLOW})


# How a request begins, and the bytes that come again and again.
ENDLESS = {
    "header": (b"GET / HTTP/1.1\r\nX: ", b"a" * 4096),
    "headers": (b"GET / HTTP/1.1\r\n", b"".join(b"a%d: b\r\n" % n for n in range(500))),
    "address": (b"GET /", b"a" * 4096),
    "name": (b"GET / HTTP/1.1\r\n" + b"a" * 10, b"a" * 4096),
    "empty lines": (b"\r\n", b"\r\n" * 2048),
    "extension": (CHUNKED + b"1;", b"a" * 4096),
    "trailers": (CHUNKED + b"1\r\n{\r\n0\r\n", b"X-Trailer: aaaaaaaaaaaaaaaaaaaaa\r\n" * 100),
    "trailer": (CHUNKED + b"1\r\n{\r\n0\r\nX: ", b"a" * 4096),
    "tiny chunks": (CHUNKED, b"1\r\n \r\n" * 600),
}


def test_headers_without_end_are_refused_and_not_kept(
    server: Running, subtests: pytest.Subtests
) -> None:
    def refused(start: bytes, piece: bytes) -> None:
        sent, answer = pour(server.port, start, piece, 64 * MB)
        # What the system has in its buffers counts as sent, too.
        assert sent < 16 * MB
        assert_refused(answer, 431, "headers_too_large")

    before = resident(server.workers[0])
    at_once(subtests, {name: partial(refused, *sent) for name, sent in ENDLESS.items()})
    assert resident(server.workers[0]) - before < 16 * MB


def test_headers_up_to_the_limit_are_read(server: Running) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
    fits = head + b"a" * (32 * 1024 - len(head) - 4) + b"\r\n\r\n"
    assert ask(server.port, fits).status == 200
    assert_refused(ask(server.port, fits.replace(b"X: ", b"X: aaaaa")), 431, "headers_too_large")


def test_a_body_in_chunks_is_content_and_not_framing(server: Running) -> None:
    body = b'{"text": "a"}'.ljust(2 * MB)
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (len(part), part)
        for part in (body[at : at + 1000] for at in range(0, len(body), 1000))
    )
    assert ask(server.port, CHUNKED + chunks + b"0\r\nX-Trailer: a\r\n\r\n").status == 200


def test_a_trailer_is_no_header(server: Running) -> None:
    with connect(server.port) as client:
        client.sendall(CHUNKED + b"0\r\nX-Request-ID: smuggled\r\n\r\n")
        answer = reply(client)
        assert answer.status == 400
        assert answer.headers["x-request-id"] != "smuggled"


NO_HTTP = (
    b"\x16\x03\x01\x02\x00\x01",
    b"hello\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\n\r\n",
    b"CONNECT a:80 HTTP/1.1\r\n\r\n",
)


def test_what_is_no_http_is_answered_so(server: Running, subtests: pytest.Subtests) -> None:
    for data in NO_HTTP:
        with subtests.test(data=data):
            assert_refused(ask(server.port, data), 400, "invalid_request")


def test_what_came_whole_is_answered_before_the_nonsense_behind_it(server: Running) -> None:
    with connect(server.port) as client:
        client.sendall(HEALTH + b"nonsense\r\n\r\n")
        assert reply(client).status == 200
        assert closed(client)


def test_a_body_that_breaks_off_into_nonsense_is_answered_so(server: Running) -> None:
    assert_refused(ask(server.port, CHUNKED + b"nonsense\r\n"), 400, "invalid_request")


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
def test_a_wish_for_another_protocol_is_answered_as_http(server: Running, protocol: str) -> None:
    wish = f"Connection: Upgrade\r\nUpgrade: {protocol}\r\n".encode()
    body = b'{"text": "a\r\nupgrade: b"}'.replace(b"\r\n", b" ")
    length = f"Content-Length: {len(body)}\r\n\r\n".encode()
    with connect(server.port) as client:
        client.sendall(HEALTH.removesuffix(b"\r\n") + wish + b"\r\n")
        assert reply(client).status == 200
        client.sendall(POST + wish + length + body)
        assert reply(client).status == 200
        client.sendall(HEALTH)
        assert reply(client).status == 200


def test_a_queue_of_requests_is_answered_up_to_its_limit(server: Running) -> None:
    answers = 0
    with connect(server.port) as client:
        client.sendall(HEALTH * 5000)
        with suppress(EOFError, ConnectionError):
            while True:
                assert reply(client).status == 200
                answers += 1
    assert 1 <= answers <= 100


def open_connections(server: Running) -> int:
    """As the server counts them, without the one that asks."""
    lines = ask(server.port, get("/metrics")).body.decode().splitlines()
    (line,) = [line for line in lines if line.startswith("attnscope_connections ")]
    return int(float(line.split()[1])) - 1


# Buffers of freed arrays are kept for later: the more, the more requests overlapped.
NONE_KEPT = "from attnscope.attention import memory; memory.KEPT = 0"


def test_replies_that_nobody_reads_are_given_up(tmp_path: Path) -> None:
    asked = get("/api/v1/attention", "POST", orjson.dumps(LARGE))
    with running(PRELOADED, tmp_path, before=NONE_KEPT, **QUICK) as server:
        whole = ask(server.port, asked)
        assert whole.status == 200
        assert len(whole.body) > 8 * MB
        before = resident(server.workers[0])
        with unread(server.port, 4, asked):
            assert eventually(lambda: open_connections(server) >= 4)
            assert eventually(lambda: open_connections(server) == 0)
            assert eventually(lambda: resident(server.workers[0]) < before + 32 * MB)


def test_the_log_is_quiet_about_all_this(server: Running) -> None:
    before = len(server.log.splitlines())
    for _ in range(50):
        ask(server.port, b"hello\r\n\r\n")
    with many(server.port, 30, HALF) as halves:
        for each in halves:
            assert reply(each).status == 408
    assert len(server.log.splitlines()) - before < 60
    assert "Traceback" not in server.log
