"""Replies compressed on their way out: what comes back is what was sent, and only where it pays."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterable
from itertools import product
from typing import Any

import brotli
import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.compression import Compression, coding_of
from attnscope.web.http.replies import SLICE, SlicedResponse, Stream
from tests.web.client import ATTENTION, JSON, SAFETENSORS, problem_of, run_async
from tests.web.http.asking import Reply, asked

WRITTEN = {"gzip": gzip.decompress, "br": brotli.decompress}
TEXT = b'{"numbers": [0.12345, 0.12346, 0.12347]}, ' * 100
App = Callable[[Any, Any, Any], Awaitable[None]]


def replying(
    parts: Iterable[bytes],
    media: str = JSON,
    status: int = 200,
    length: int | None = None,
    **headers: str,
) -> Compression:
    """An app that sends these parts as they are."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        described = {"content-type": media, **headers}
        if length is not None:
            described["content-length"] = str(length)
        raw = [(name.encode(), value.encode()) for name, value in described.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return Compression(app)


def got(app: App, accepted: str = "gzip") -> Reply:
    return asked(app, "/", [("Accept-Encoding", accepted)])


def test_a_reply_is_smaller_and_says_the_same(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for path, coding in product(
        ("/", "/metrics", "/api/openapi.json", "/api/v1/examples"), WRITTEN
    ):
        with subtests.test(path, coding=coding):
            host = ("Host", "localhost")
            plain = asked(client.app, path, [host])
            packed = asked(client.app, path, [host, ("Accept-Encoding", coding)])
            assert packed.headers["content-encoding"] == coding
            assert packed.headers["content-length"] == str(len(packed.body))
            assert len(packed.body) < 0.5 * len(plain.body)
            if path != "/metrics":  # counts what was asked
                assert WRITTEN[coding](packed.body) == plain.body
            assert "content-encoding" not in plain.headers
            for reply in (plain, packed):
                assert "accept-encoding" in reply.headers["vary"].lower()


def test_an_answer_keeps_its_weak_tag_and_its_numbers(client: TestClient) -> None:
    trace = client.post(ATTENTION, json={"text": "one two three"}).json()["trace"]
    url = f"/api/v1/traces/{trace}"
    for media in (JSON, SAFETENSORS):
        replies = [
            client.get(url, headers={"Accept": media, "Accept-Encoding": coding})
            for coding in ("identity", "gzip", "br")
        ]
        assert len({reply.headers["etag"] for reply in replies}) == 1
        assert len({reply.content for reply in replies}) == 1
        held = {"If-None-Match": replies[0].headers["etag"], "Accept": media}
        unchanged = client.get(url, headers=held | {"Accept-Encoding": "gzip"})
        assert unchanged.status_code == 304
        assert "content-encoding" not in unchanged.headers


def test_head_has_the_headers_of_get(client: TestClient) -> None:
    headers = {"Accept-Encoding": "gzip"}
    got, head = (client.request(method, "/compare", headers=headers) for method in ("GET", "HEAD"))
    for name in ("content-encoding", "content-length", "vary", "etag"):
        assert head.headers[name] == got.headers[name], name
    assert head.content == b""


def test_a_problem_is_read_by_those_who_take_gzip(client: TestClient) -> None:
    headers = {"Accept-Encoding": "gzip"}
    problem_of(client.get("/api/v1/traces/none", headers=headers), 404, "unknown_trace")


def test_what_goes_in_one_packet_is_left_as_it_is(subtests: pytest.Subtests) -> None:
    for size in (0, 1, 1023):
        with subtests.test(size=size):
            for length in (size, None):
                reply = got(replying([b" " * size], length=length))
                assert reply.body == b" " * size
                assert "content-encoding" not in reply.headers
                assert reply.headers["vary"] == "Accept-Encoding"


def test_replies_without_a_body_of_their_own_are_left_as_they_are(
    subtests: pytest.Subtests,
) -> None:
    for status in (204, 206, 304):
        with subtests.test(status=status):
            reply = got(replying([TEXT], status=status))
            assert (reply.status, reply.body) == (status, TEXT)
            assert "content-encoding" not in reply.headers


def test_what_is_packed_already_is_left_as_it_is(subtests: pytest.Subtests) -> None:
    cases = [("image/png", {}), ("application/zip", {}), (JSON, {"content-encoding": "zstd"})]
    for media, headers in cases:
        with subtests.test(media):
            reply = got(replying([TEXT], media, 200, len(TEXT), **headers))
            assert reply.body == TEXT
            assert reply.headers["content-length"] == str(len(TEXT))
            assert reply.headers.get("content-encoding") == headers.get("content-encoding")


def test_a_body_in_pieces_comes_back_whole(subtests: pytest.Subtests) -> None:
    for cuts, coding in product((1, 3, 1000), WRITTEN):
        with subtests.test(coding, cuts=cuts):
            parts = [TEXT[start : start + cuts] for start in range(0, len(TEXT), cuts)]
            reply = got(replying(parts, length=len(TEXT), vary="Accept"), coding)
            assert WRITTEN[coding](reply.body) == TEXT
            assert "content-length" not in reply.headers  # it was another one's
            assert reply.headers["vary"] == "Accept, Accept-Encoding"


def test_arrays_are_compressed_where_they_shrink(subtests: pytest.Subtests) -> None:
    cases = [
        (np.random.default_rng(0).normal(size=100_000), False),
        (np.tril(np.random.default_rng(0).random((400, 400))), True),
        (np.zeros(10), False),
    ]
    for media, (numbers, packed) in product((SAFETENSORS, "application/x-npz"), cases):
        with subtests.test(media, packed=packed):
            body = b"{header}" * 50 + numbers.tobytes()
            for parts in (
                [body],
                [body[:400], body[400:]],
                [body[:5], body[5:70_000], body[70_000:]],
            ):
                reply = got(replying(parts, media, length=len(body)))
                assert ("content-encoding" in reply.headers) == packed
                assert reply.headers["vary"] == "Accept-Encoding"
                if packed:
                    assert gzip.decompress(reply.body) == body
                else:
                    assert reply.body == body
                    assert reply.headers["content-length"] == str(len(body))


@pytest.mark.parametrize("coding", WRITTEN)
def test_a_long_reply_is_never_collected(coding: str) -> None:
    """64 MB in slices: what is on its way at any time is a part of them."""
    slices, made, most = 256, 0, 0
    line = np.random.default_rng(0).integers(48, 58, SLICE, np.uint8).tobytes()

    def parts() -> Iterable[bytes]:
        nonlocal made
        for _ in range(slices):
            made += 1
            yield line

    sent = 0

    async def send(message: Any) -> None:
        nonlocal sent, most
        if message["type"] == "http.response.body":
            most = max(most, len(message["body"]))
            sent += bool(message["body"])
            assert made - sent < 20

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await SlicedResponse(Stream(parts(), slices * SLICE), 200, {}, JSON)(scope, waiting, send)

    async def waiting() -> Any:
        await asyncio.Event().wait()

    scope = {"type": "http", "headers": [(b"accept-encoding", coding.encode())]}
    run_async(Compression(app)(scope, waiting, send))
    assert made == slices
    assert sent > slices / 10
    assert most < 8 * SLICE


def test_who_fails_before_the_body_can_still_say_so() -> None:
    """Nothing was sent: the error becomes a reply of its own."""
    started = []

    async def failing(scope: Any, receive: Any, send: Any) -> None:
        await send(
            {"type": "http.response.start", "status": 200,
             "headers": [(b"content-type", JSON.encode())]}
        )  # fmt: skip
        raise RuntimeError("no body")

    async def send(message: Any) -> None:
        started.append(message)

    scope = {"type": "http", "headers": [(b"accept-encoding", b"gzip")]}
    with pytest.raises(RuntimeError, match="no body"):
        run_async(Compression(failing)(scope, None, send))
    assert started == []


WANTED = [
    (None, None),
    ("", None),
    ("gzip", "gzip"),
    ("X-GZIP", "gzip"),
    ("gzip, deflate", "gzip"),
    ("gzip, deflate, br, zstd", "br"),
    ("br;q=0.5, gzip;q=0.8", "gzip"),
    ("br;q=0, gzip", "gzip"),
    ("gzip;q=0", None),
    ("gzip ; q=0.000", None),
    ("gzip;q=2", None),
    ("gzip;q=x", None),
    ("deflate, zstd", None),
    ("*", "br"),
    ("*;q=0.1, br;q=0", "gzip"),
    ("*;q=0", None),
    ("identity", None),
    ("identity, gzip", "gzip"),
    ("identity;q=1, gzip;q=0.5", None),
    ("identity;q=0, gzip;q=0.1", "gzip"),
    (",;,q=;," * 1000 + "gzip", "gzip"),
]


def test_a_caller_gets_the_coding_it_wants_most(subtests: pytest.Subtests) -> None:
    for accepted, coding in WANTED:
        with subtests.test(accepted=accepted):
            assert coding_of(accepted) == coding
