"""Replies in slices: to who reads them, to who does not, and to who has them already."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from itertools import product
from typing import Any

import pytest
from fastapi import Request, Response

from attnscope.web.http.replies import (
    GRACE,
    SLICE,
    SlicedResponse,
    Stream,
    reply,
    tag_of,
    unchanged,
)
from tests.web.client import run_async

JSON = "application/json"


def request(method: str = "GET", query: str = "", **headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    app = type("App", (), {"state": type("State", (), {"catalogue": Languages()})})
    return Request(
        {"type": "http", "method": method, "path": "/a", "query_string": query.encode(),
         "headers": raw, "app": app, "server": ("h", 80), "scheme": "http"}
    )  # fmt: skip


class Languages:
    languages = ("en", "zh")


class Reader:
    """Reads so many messages, then does something else."""

    def __init__(self, messages: int = 1 << 30, *, leaves: bool = False) -> None:
        self.messages, self.leaves = messages, leaves
        self.read: list[MutableMapping[str, Any]] = []
        self.left = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if len(self.read) >= self.messages:
            if not self.leaves:
                await asyncio.Event().wait()  # the connection takes nothing more
            self.left.set()
            await asyncio.sleep(0)
            return
        self.read.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(bytes(message.get("body", b"")) for message in self.read)


def sent_to(content: bytes | Stream, grace: float = GRACE, **reading: Any) -> Reader:
    async def scene() -> Reader:
        reader = Reader(**reading)
        response = SlicedResponse(content, 200, {}, JSON, grace)
        await response({"type": "http"}, reader.receive, reader.send)
        return reader

    return run_async(scene())


def counted(parts: int, made: list[int]) -> Iterator[bytes]:
    for part in range(parts):
        made.append(part)
        yield bytes([part % 256]) * 1000


def test_a_reply_arrives_whole_in_slices(subtests: pytest.Subtests) -> None:
    for size in (0, 1, SLICE, SLICE + 1, 3 * SLICE + 5):
        with subtests.test(size=size):
            content = bytes(range(256)) * (size // 256 + 1)
            reader = sent_to(content[:size])
            assert reader.body == content[:size]
            assert all(len(message.get("body", b"")) <= SLICE for message in reader.read)
            headers = dict(reader.read[0]["headers"])
            assert headers[b"content-length"] == str(size).encode()
            assert not reader.read[-1].get("more_body", False)


@pytest.mark.parametrize("threaded", [False, True])
def test_a_stream_is_sent_as_it_is_made(threaded: bool) -> None:
    made: list[int] = []
    reader = sent_to(Stream(counted(5, made), threaded=threaded))
    assert reader.body == b"".join(counted(5, []))
    assert b"content-length" not in dict(reader.read[0]["headers"])
    assert made == list(range(5))


def test_of_memory_only_slices_are_copied() -> None:
    reader = sent_to(Stream([memoryview(bytearray(SLICE * 2))], SLICE * 2))  # type: ignore[list-item]
    assert [len(message.get("body", b"")) for message in reader.read] == [0, SLICE, SLICE, 0]


def test_nothing_more_is_made_for_who_has_left() -> None:
    made: list[int] = []
    reader = sent_to(Stream(counted(1000, made)), messages=3, leaves=True)
    assert len(reader.read) == 3
    assert len(made) < 10


def test_a_reply_that_nobody_reads_is_given_up() -> None:
    made: list[int] = []
    reader = sent_to(Stream(counted(1000, made)), grace=0.05, messages=3)
    assert len(reader.read) == 3
    assert len(made) < 10


def test_what_the_caller_holds_is_not_sent_again(subtests: pytest.Subtests) -> None:
    cases = [
        (None, 200), ("", 200), ('"other"', 200), ("tag", 200), ('"tag"', 304), ('W/"tag"', 304),
        ('"a", W/"tag" ,"b"', 304), ("*", 304),
    ]  # fmt: skip
    for tag, (held, status) in product(('"tag"', 'W/"tag"'), cases):
        with subtests.test(tag, held=held):
            asked = request() if held is None else request(if_none_match=held)
            kept = {"ETag": tag, "Cache-Control": "private", "Vary": "Accept"}
            response = unchanged(asked, Response(b"numbers", 200, kept))
            assert response.status_code == status
            assert bool(response.body) == (status == 200)
            assert {name: response.headers[name] for name in kept} == kept
            assert unchanged(asked, Response(b"untagged")).status_code == 200


def test_a_tag_names_address_media_and_language_and_no_order_of_parameters() -> None:
    assert tag_of(request(query="a=1&b=2"), JSON) == tag_of(request(query="b=2&a=1"), JSON)
    others = [
        tag_of(request(query="a=1&b=2"), JSON),
        tag_of(request(query="a=1&b=3"), JSON),
        tag_of(request(query="a=1&b=2"), "text/csv"),
        tag_of(request(query="a=1&b=2", accept_language="zh"), JSON),
        tag_of(request(query="a=1&b=2&lang=zh"), JSON),
    ]
    assert len(set(others)) == len(others)
    assert all(tag.startswith('W/"') for tag in others)


def test_what_post_gives_has_no_tag_and_is_kept_by_nobody() -> None:
    headers = reply(request("POST"), b"{}", JSON).headers
    assert "etag" not in headers
    assert headers["cache-control"] == "no-store"
