"""Events: news while work goes on, a heartbeat where there is none, and the reply at the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from attnscope import cancellation
from attnscope.errors import Busy, InvalidRequest
from attnscope.web.http import events
from attnscope.web.http.admission import AdmissionQueue
from attnscope.web.http.events import HEARTBEAT, EventStream, Report, wants_events
from attnscope.web.http.memory_budget import Lease
from attnscope.web.http.problems import NotAcceptable
from tests.web.client import run_async

TRAINING = "/api/v1/training"


class Reader:
    """Who asked, and may leave."""

    asked: asyncio.Future[None]

    def __init__(self, client: TestClient, desk: AdmissionQueue) -> None:
        self.gone = asyncio.Event()
        self.sent: list[dict[str, Any]] = []
        catalogue = client.app.state.catalogue  # type: ignore[attr-defined]
        app = SimpleNamespace(state=SimpleNamespace(admission=desk, catalogue=catalogue))
        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "app": app,
                 "query_string": b"", "lease": Lease(desk.memory)}  # fmt: skip
        self.request = Request(scope, self.receive)

    async def receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def text(self) -> str:
        return b"".join(message.get("body", b"") for message in self.sent).decode()


def play(
    client: TestClient,
    work: Callable[[Report], Any],
    meanwhile: Callable[[Reader], Any] = lambda reader: None,
    slots: int = 1,
    ahead: AsyncGenerator[dict[str, int] | None, None] | None = None,
    joined: str = "",
    heartbeat: float = HEARTBEAT,
) -> Reader:
    """What a reader of some work is sent."""

    async def written(result: Any) -> bytes:
        return f'"{result}"'.encode()

    async def scene() -> Reader:
        desk = AdmissionQueue(100, slots, 0, 0.1)
        reader = Reader(client, desk)
        stream = EventStream(
            reader.request, work, written, 10, ahead, joined=joined, heartbeat=heartbeat
        )
        asked = asyncio.ensure_future(stream(reader.request.scope, reader.receive, reader.send))
        while not reader.sent and not asked.done():
            await asyncio.sleep(0.002)
        reader.asked = asked
        meanwhile(reader)
        try:
            await asyncio.wait_for(asked, 20)
        finally:
            desk.close()
        return reader

    return run_async(scene())


def test_news_is_sent_then_the_reply(client: TestClient) -> None:
    heard = threading.Event()

    def work(report: Report) -> str:
        report({"step": 1})
        heard.wait(2 * events.PAUSE)
        return "done"

    reader = play(client, work)
    assert reader.text == 'event: progress\ndata: {"step":1}\n\nevent: reply\ndata: "done"\n\n'
    headers = dict(reader.sent[0]["headers"])
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert b"content-length" not in headers
    assert not reader.sent[-1].get("more_body")


def test_of_several_reports_the_newest_is_sent_with_the_joined_lists_of_all(
    client: TestClient,
) -> None:
    heard = threading.Event()

    def work(report: Report) -> str:
        report({"done": 1, "heads": ["a"]})
        report({"done": 3, "heads": ["b", "c"]})
        heard.wait(2 * events.PAUSE)
        return "done"

    event = 'event: progress\ndata: {"done":3,"heads":["a","b","c"]}\n\n'
    assert play(client, work, joined="heads").text.startswith(event)
    newest = 'event: progress\ndata: {"done":3,"heads":["b","c"]}\n\n'
    assert play(client, work).text.startswith(newest)


def test_what_is_waited_for_is_sent_ahead_and_takes_no_place(client: TestClient) -> None:
    async def ahead() -> AsyncGenerator[dict[str, int] | None, None]:
        for done in (1, None, 2):
            yield None if done is None else {"done": done}

    reader = play(client, lambda report: "seen", ahead=ahead())
    news = [f'event: progress\ndata: {{"done":{done}}}\n\n' for done in (1, 2)]
    assert reader.text == "".join(news) + 'event: reply\ndata: "seen"\n\n'
    assert [message["type"] for message in reader.sent].count("http.response.start") == 1
    late = play(client, lambda report: "never", slots=0, ahead=ahead())
    assert late.text.startswith("".join(news) + "event: problem\n")


def test_a_heartbeat_comes_where_there_is_no_news(client: TestClient) -> None:
    quiet = threading.Event()
    reader = play(client, lambda report: quiet.wait(0.5), heartbeat=0.1)
    assert reader.text.startswith(": heartbeat\n\n: heartbeat\n\n")
    assert "progress" not in reader.text


def test_work_whose_reader_has_left_is_stopped(client: TestClient) -> None:
    ended = []

    def work(report: Report) -> None:
        try:
            while True:
                cancellation.check()
        finally:
            ended.append(True)

    reader = play(client, work, lambda reader: reader.gone.set())
    assert ended == [True]
    assert "reply" not in reader.text


def test_work_that_fails_on_the_way_ends_with_a_problem(client: TestClient) -> None:
    def work(report: Report) -> None:
        raise InvalidRequest("training_diverged", at="model.step", step=3, rate=8.0)

    reader = play(client, work)
    assert reader.text.startswith('event: problem\ndata: {"type":"/problems/invalid_request"')
    assert "diverged at step 3" in reader.text


def test_a_reader_hears_that_the_server_ends(client: TestClient) -> None:
    def work(report: Report) -> None:
        while True:
            cancellation.check()

    reader = play(client, work, lambda reader: reader.asked.cancel())
    assert '"code":"busy"' in reader.text.partition("event: problem")[2]
    assert not reader.sent[-1].get("more_body")


def test_without_a_place_nothing_is_sent_and_the_request_is_refused(client: TestClient) -> None:
    with pytest.raises(Busy):
        play(client, lambda report: None, slots=0)


def test_events_are_sent_to_who_wants_them_more_than_json(subtests: pytest.Subtests) -> None:
    cases = [
        ("text/event-stream", True),
        ("text/event-stream, application/json;q=0.5", True),
        ("application/json", False),
        ("*/*", False),
        ("", False),
    ]
    for accept, streamed in cases:
        with subtests.test(accept, streamed=streamed):
            scope = {"type": "http", "headers": [(b"accept", accept.encode())]}
            assert wants_events(Request(scope)) is streamed


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(NotAcceptable):
        wants_events(Request({"type": "http", "headers": [(b"accept", b"image/png")]}))


def test_events_go_out_as_they_come_and_not_compressed(client: TestClient) -> None:
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    reply = client.post(TRAINING, json={"task": "copy", "steps": 5}, headers=headers)
    assert "content-encoding" not in reply.headers
    assert reply.headers["x-accel-buffering"] == "no", "for nginx"
