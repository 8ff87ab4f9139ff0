"""A client of the load, before a server that says what the test wants it to say."""

from __future__ import annotations

import asyncio
import time

from benchmarks.clients.connection import Reply
from benchmarks.clients.tally import Kind, Tally
from benchmarks.clients.visitor import TRIES, Visitor
from tests.web.client import run_async

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
BUSY = b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
LOST = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
BROKEN = b"HTTP/1.1 500 Broken\r\nContent-Length: 6\r\n\r\nbroken"
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha"
LAST = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def visits(*replies: bytes, times: int = 1, pace: float = 0.0) -> tuple[Tally, list[Reply | None]]:
    """What a visitor counts and gets who asks `times` times; the connection ends with the last
    reply, and after one that is half or says so."""
    left, tally = list(replies), Tally()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while left and await reader.readuntil(b"\r\n\r\n"):
            writer.write(reply := left.pop(0))
            if reply in (HALF, LAST):
                break
        writer.close()

    async def asking() -> list[Reply | None]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        visitor = Visitor(0, port, tally, time.monotonic() + 60)
        got = [await visitor.ask("it", "GET", "/", pace=pace) for _ in range(times)]
        visitor.close()
        server.close()
        return got

    return tally, run_async(asking())


def body_of(reply: Reply | None) -> bytes:
    assert reply is not None
    return bytes(reply.body)


def counts(tally: Tally) -> tuple[int, int, int, int]:
    kind = tally.kinds["it"]
    return kind.asked, len(kind.answered), len(kind.refused), kind.given_up


def test_a_reply_is_counted_and_read_whole() -> None:
    tally, got = visits(OK, CHUNKED, times=2)
    assert [body_of(reply) for reply in got] == [b"ok", b"abcde"]
    assert counts(tally) == (2, 2, 0, 0)
    assert tally.kinds["it"].size == 7
    assert not tally.broken


def test_a_slow_reader_gets_the_same() -> None:
    _, (reply,) = visits(CHUNKED, pace=10_000.0)
    assert body_of(reply) == b"abcde"


def test_a_client_comes_again_when_it_is_asked_to() -> None:
    tally, (reply,) = visits(BUSY, BUSY, OK)
    assert body_of(reply) == b"ok"
    assert counts(tally) == (1, 1, 2, 0)
    assert not tally.broken


def test_a_client_that_is_always_put_off_gives_up() -> None:
    tally, got = visits(*[BUSY] * TRIES)
    assert got == [None]
    assert counts(tally) == (1, 0, TRIES, 1)


def test_a_connection_that_ends_between_two_requests_is_opened_again() -> None:
    tally, got = visits(LAST, OK, times=2)
    assert body_of(got[1]) == b"ok"
    assert not tally.broken


def broken_by(reply: bytes) -> str:
    tally, got = visits(reply)
    assert got == [None]
    (what,) = tally.broken
    return what


def test_every_other_error_breaks_a_promise() -> None:
    assert "500 for /: broken" in broken_by(BROKEN)
    assert "503 for /" in broken_by(LOST), "without Retry-After"
    assert "in the middle of a reply" in broken_by(HALF)


def test_percentiles_are_those_of_the_answered() -> None:
    kind = Kind(answered=[index / 100 for index in range(100)], refused=[9.0])
    assert (kind.within(0.5), kind.within(0.99), Kind().within(0.5)) == (0.5, 0.99, 0.0)
