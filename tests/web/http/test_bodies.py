"""Bodies that come slowly, or beside too many others, and what a request holds meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from attnscope.main import create_app
from attnscope.settings import Settings
from attnscope.web.http.memory_budget import FREE
from tests.web.client import ATTENTION, JSON, problem_of, run_async
from tests.web.conftest import MakeClient

HEADERS = {"Content-Type": JSON}


async def trickle(pieces: list[bytes], pause: float) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
        await asyncio.sleep(pause)


def send(app: Any, content: AsyncIterator[bytes]) -> httpx.Response:
    async def scene() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            return await client.post(ATTENTION, content=content, headers=HEADERS)

    return run_async(scene())


def test_a_body_that_does_not_come_is_not_waited_for(data: Path) -> None:
    app = create_app(Settings(data_dir=data, body_seconds=0.1))
    response = send(app, trickle([b'{"text": ', b'"a"}'], 5))
    body = problem_of(response, 408, "slow_request")
    assert "0 seconds" in body["detail"] or "seconds" in body["detail"]
    assert app.state.admission.memory.used == 0


def test_a_body_that_comes_steadily_is_waited_for(data: Path) -> None:
    app = create_app(Settings(data_dir=data, body_seconds=0.2))
    pieces = [b" " * (1 << 16)] * 8 + [b'{"text": "a"}']
    assert send(app, trickle(pieces, 0.05)).status_code == 200


def test_long_bodies_hold_memory_and_are_refused_where_there_is_none(
    make_client: MakeClient,
) -> None:
    client = make_client(memory_mb=1)
    desk = client.app.state.admission  # type: ignore[attr-defined]
    body = b'{"text": "a"}'.ljust(2 * FREE)
    taken = desk.memory.limit - FREE
    desk.memory.used += taken
    problem_of(client.post(ATTENTION, content=body, headers=HEADERS), 503, "busy")
    assert client.post(ATTENTION, json={"text": "a"}).status_code == 200
    desk.memory.used -= taken
    assert client.post(ATTENTION, content=body, headers=HEADERS).status_code == 200
    assert desk.memory.used == 0


@pytest.mark.parametrize("memory_mb", [1, 64])
def test_what_can_never_fit_is_refused_at_once(make_client: MakeClient, memory_mb: int) -> None:
    client = make_client(memory_mb=memory_mb)
    question = {"tokens": ["a"] * 600, "model": {"source": "seeded", "num_heads": 1}}
    response = client.post(ATTENTION, json={**question, "stages": ["q"]})
    if memory_mb == 1:
        problem_of(response, 413, "too_large")
    else:
        assert response.status_code == 200
    assert client.app.state.admission.memory.used == 0  # type: ignore[attr-defined]
