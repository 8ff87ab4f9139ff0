"""Reading JSON strictly, slots for large answers, and what the caller holds already."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import Request, Response

from app.errors import Busy
from app.web.problems import InvalidJson
from app.web.requests import Slots, parse, unchanged
from tests.web.client import run_async


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "null", "3", '"猫"', '{"a": [1, 2.5, {"b": true}]}', " \n{}\t", '{"a": 1e-300}'],
)
def test_json_is_read_as_it_is(text: str) -> None:
    assert parse(text.encode()) == json.loads(text)


def test_what_json_does_not_know_goes_on_to_be_named() -> None:
    assert parse(rb'{"text": "\ud800"}') == {"text": "\ud800"}
    assert parse(b"[Infinity, -Infinity]") == [float("inf"), float("-inf")]
    assert parse(b"[1e999]") == [float("inf")]


@pytest.mark.parametrize(
    "body", [b"", b" ", b"{", b"{'a': 1}", b"\xff", b"[" * 100_000, b"9" * 5000, b'{"a" 1}', b"{}x"]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidJson) as error:
        parse(body)
    assert {"line", "column"} <= set(error.value.values)


def on_slots(slots: Slots, works: list[Callable[[], Any]]) -> list[Any]:
    """What each work gave, or the error that it was refused with."""

    async def all_at_once() -> list[Any]:
        asked = [slots.run(work) for work in works]
        return await asyncio.gather(*asked, return_exceptions=True)

    return run_async(all_at_once())


def test_no_more_works_run_at_once_than_there_are_slots() -> None:
    running, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def work() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait(10)  # two at a time, never one alone
        with lock:
            running -= 1
        return "done"

    assert on_slots(Slots(2, 8), [work] * 8) == ["done"] * 8
    assert most == 2


def test_what_finds_no_room_in_the_queue_is_refused_at_once() -> None:
    open_ = threading.Event()
    slots = Slots(1, 2)

    def refuse_then_open() -> None:
        open_.wait(10)

    async def scene() -> list[Any]:
        asked = [asyncio.create_task(slots.run(refuse_then_open)) for _ in range(5)]
        done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)
        assert all(isinstance(task.exception(), Busy) for task in done)
        open_.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    results = run_async(scene())
    assert [isinstance(result, Busy) for result in results] == [False] * 3 + [True] * 2
    assert on_slots(slots, [lambda: "again"]) == ["again"]


def test_a_work_that_fails_gives_its_slot_back() -> None:
    def broken() -> None:
        raise ValueError("broken")

    slots = Slots(1, 0)
    for _ in range(3):
        (error,) = on_slots(slots, [broken])
        assert isinstance(error, ValueError)
    assert on_slots(slots, [lambda: 1]) == [1]


@pytest.mark.parametrize(
    ("held", "status"),
    [
        (None, 200), ("", 200), ('"other"', 200), ("tag", 200), ('"tag"', 304), ('W/"tag"', 304),
        ('"a", "tag" ,"b"', 304), ("*", 304),
    ],
)  # fmt: skip
def test_what_the_caller_holds_is_not_sent_again(held: str | None, status: int) -> None:
    headers = [] if held is None else [(b"if-none-match", held.encode())]
    request = Request({"type": "http", "method": "GET", "path": "/", "headers": headers})
    kept = {"ETag": '"tag"', "Cache-Control": "private", "Vary": "Accept"}
    response = unchanged(request, Response(b"numbers", 200, kept))
    assert response.status_code == status
    assert bool(response.body) == (status == 200)
    assert {name: response.headers[name] for name in kept} == kept
    assert unchanged(request, Response(b"untagged")).status_code == 200
