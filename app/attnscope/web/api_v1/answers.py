from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from fastapi import Request, Response

from attnscope.errors import Busy, StorageFull
from attnscope.tokens.processes import NeedsThread
from attnscope.trace.plan import Plan
from attnscope.trace.question import Captured, Installed, Question, Trained, Uploaded
from attnscope.trace.reading_cost import Cost, work_of
from attnscope.trace.trace import Trace
from attnscope.trace.trained import is_cached
from attnscope.web.http.addresses import client_of
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import Content, Stream, reply
from attnscope.web.http.requests import JsonRequest, admission_of, engine_of
from attnscope.web.serializers.opening import current_registry, open_upload, run_as_short_text
from attnscope.web.serializers.selection import to_json


async def plan_of(request: Request, question: Question) -> Plan:
    """Plan; in a thread for long texts, files or processes."""
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
    """Store a question if there is room; short questions are queued."""
    engine, client = engine_of(request), client_of(request)
    if engine.remembered_recently(planned, client):
        return
    short = not (isinstance(request, JsonRequest) and request.long)
    if short and engine.queue_question(planned, client):
        return
    with suppress(Busy, StorageFull):
        await remember(request, planned)


T = TypeVar("T")
SMALL = 200_000  # numbers; fewer are computed in the event loop
EXTRA = 32 * SMALL  # bytes; logits of a short sentence with 8,192 pieces fit
NOTHING = Cost()
BRIEF = 40 * SMALL  # cost by `work_of`; takes 0.5 s


async def reply_from_trace(
    request: Request,
    planned: Plan,
    write: Callable[[Trace], Any],
    media: str = JSON,
    *,
    extra: int = 0,
    slow: bool = False,
) -> Response:
    """write(trace) returns bytes, a stream, or data for JSON."""
    content = await run_on_trace(
        request, planned, lambda trace: encoded(write(trace)), cost=Cost(extra), slow=slow
    )
    return reply(request, content, media)


def encoded(found: Any) -> Content:
    return found if isinstance(found, bytes | Stream) else to_json(found)


def json_reply(request: Request, data: Any) -> Response:
    return reply(request, to_json(data), JSON)


def uncached(data: Any, status: int = 200, **headers: str) -> Response:
    return Response(encoded(data), status, {**headers, "Cache-Control": "no-store"}, JSON)


async def run_on_trace(
    request: Request,
    planned: Plan,
    work: Callable[[Trace], T],
    *,
    cost: Cost = NOTHING,
    slow: bool = False,
) -> T:
    """Run work(trace), in a thread unless it is small. Raises Busy, TooLarge.

    `slow`: work takes longer than a small trace.
    """
    extra, near = cost
    engine = engine_of(request)
    small = is_small(planned, extra)
    if small and extra <= 8 * SMALL and work_of(planned) <= SMALL and not slow:
        return work(engine.trace(planned))
    # Wide models compute few numbers from many parameters.
    brief = planned.computed_numbers <= SMALL and extra <= EXTRA and work_of(planned) <= BRIEF
    kept = engine.kept_bytes(planned)
    if near and kept:
        size, brief = extra, True
    elif small:
        size = 0
    else:
        size = extra + max(0, planned.bytes - kept) + (0 if kept else planned.held_bytes)
    queue = "small" if brief else "large"
    return await admission_of(request).run(
        request, lambda: work(engine.trace(planned)), size=size, queue=queue
    )


def is_small(planned: Plan, extra: int) -> bool:
    return planned.numbers <= SMALL and extra <= EXTRA and work_of(planned) <= BRIEF
