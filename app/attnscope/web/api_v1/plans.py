from __future__ import annotations

from contextlib import suppress
from functools import partial

from fastapi import Request

from attnscope.errors import Busy, StorageFull
from attnscope.tokens.processes import NeedsThread
from attnscope.trace.plan import Plan
from attnscope.trace.question import Captured, Installed, Question, Trained, Uploaded
from attnscope.trace.trained import is_cached
from attnscope.web.http.addresses import client_of
from attnscope.web.http.requests import JsonRequest, admission_of, engine_of
from attnscope.web.serializers.opening import current_registry, open_upload, run_as_short_text


async def plan_of(request: Request, question: Question) -> Plan:
    """Plan in a thread if the text is long, or files or processes are needed."""
    long = isinstance(request, JsonRequest) and request.long
    return await plan_question(request, question, long=long)


async def plan_question(request: Request, question: Question, *, long: bool) -> Plan:
    engine, model = engine_of(request), question.model
    upload = None
    if isinstance(model, Uploaded | Captured) and not engine.has_upload(model.id):
        upload = await open_upload(request, model.id, lambda: engine.find_model(model))
    if isinstance(model, Trained) and not is_cached(model):
        return await admission_of(request).run(request, lambda: engine.plan(question))
    if isinstance(model, Installed) and model.name not in engine.registry.models:
        await current_registry(request)
    if not long:
        try:
            return engine.recall_plan(question, upload)
        except NeedsThread as error:
            long = not error.brief
    plan = partial(engine.plan, question, upload=upload)
    if long:
        return await admission_of(request).run(request, plan, queue="texts")
    return await run_as_short_text(request, plan)


async def remember(request: Request, planned: Plan) -> None:
    engine, client = engine_of(request), client_of(request)
    await admission_of(request).run_on_disk_thread(lambda: engine.remember(planned, client))


async def remember_soon(request: Request, planned: Plan) -> None:
    """Store a question if possible. Short ones are queued."""
    engine, client = engine_of(request), client_of(request)
    if engine.remembered_recently(planned, client):
        return
    short = not (isinstance(request, JsonRequest) and request.long)
    if short and engine.queue_question(planned, client):
        return
    with suppress(Busy, StorageFull):
        await remember(request, planned)
