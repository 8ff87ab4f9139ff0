"""The plan of a question, a question kept: off the event loop, where that
takes a while."""

from __future__ import annotations

import asyncio

from fastapi import Request

from app.trace.plan import Plan
from app.trace.question import Question, Trained, Uploaded
from app.trace.trained import is_at_hand
from app.web.http.clients import client_of
from app.web.http.requests import JsonRequest, desk_of
from app.web.wire.opening import engine_of, opening


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


async def remember(request: Request, planned: Plan, *, surely: bool = True) -> None:
    """Keeps the question on disk; raises StorageFull and Busy. Where that need not be sure, what
    was kept a moment ago is not looked for there again: that takes longer than a small answer."""
    engine, client = engine_of(request), client_of(request)
    if not surely and engine.remembered_lately(planned, client):
        return
    await desk_of(request).aside(lambda: engine.remember(planned, client))
