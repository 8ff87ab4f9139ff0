"""The plan of a question, an upload opened for it, a question kept: off the event loop, where that
takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request

from app.trace.engine import Engine
from app.trace.plan import Plan
from app.trace.question import Question, Trained, Uploaded
from app.trace.trained import is_at_hand
from app.web.http.clients import client_of
from app.web.http.requests import JsonRequest, desk_of

T = TypeVar("T")


def engine_of(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def plan_of(request: Request, question: Question) -> Plan:
    """The question understood; in a thread where it is long, or where a file is read for it."""
    long = isinstance(request, JsonRequest) and request.long
    return await understood(request, question, long=long)


async def understood(request: Request, question: Question, *, long: bool) -> Plan:
    """The same of a question whose length is known."""
    engine, model = engine_of(request), question.model
    if isinstance(model, Uploaded) and not engine.has_upload(model.id):
        return await opening(request, model.id, lambda: engine.plan(question))
    if isinstance(model, Trained) and not is_at_hand(model):
        return await desk_of(request).run(request, lambda: engine.plan(question))
    if long:
        return await asyncio.to_thread(engine.plan, question)
    return engine.plan_again(question)


async def opening(request: Request, model_id: str, work: Callable[[], T]) -> T:
    """work() on an upload, with the memory that opening it takes; in the lane of uploads where that
    is still to be done."""
    engine, desk = engine_of(request), desk_of(request)
    size = await desk.aside(lambda: engine.cost_of_upload(model_id))
    lane = "small" if engine.has_upload(model_id) else "uploads"
    return await desk.run(request, work, size=size, lane=lane)


async def remember(request: Request, planned: Plan, *, surely: bool = True) -> None:
    """Keeps the question on disk; raises StorageFull and Busy. Where that need not be sure, what
    was kept a moment ago is not looked for there again: that takes longer than a small answer."""
    engine, client = engine_of(request), client_of(request)
    if not surely and engine.remembered_lately(planned, client):
        return
    await desk_of(request).aside(lambda: engine.remember(planned, client))
