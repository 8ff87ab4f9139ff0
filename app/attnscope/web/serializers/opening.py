"""Models opened for a request: an upload, within the memory that there is, and one that was
installed since the start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from fastapi import Request

from attnscope.installed.model_registry import ModelRegistry
from attnscope.tokens.processes import NeedsThread, briefly
from attnscope.trace.engine import Engine
from attnscope.web.http.requests import admission_of

T = TypeVar("T")


def engine_of(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def registry_now(request: Request) -> ModelRegistry:
    """The models on the server. Those that came since are opened in a thread: it takes a while."""
    registry = engine_of(request).registry
    if registry.has_news():
        await admission_of(request).run(request, registry.look, lane="texts")
    return registry


async def beside(request: Request, work: Callable[[], T]) -> T:
    """work() in a thread, which may have texts cut in processes: in the lane of short texts if that
    is brief, else in that of long ones."""

    def brief() -> T:
        with briefly():
            return work()

    with suppress(NeedsThread):
        return await admission_of(request).run(request, brief, lane="short_texts")
    return await admission_of(request).run(request, work, lane="texts")


async def open_upload(request: Request, model_id: str, find: Callable[[], T]) -> T:
    """find(), the upload or capture of this id: from memory, or read from the disk with the memory
    that takes. Uploads that come in are not waited for, and of several requests one reads it."""
    engine, admission = engine_of(request), admission_of(request)
    if engine.has_upload(model_id):
        with suppress(NeedsThread):  # evicted in this moment
            return find()
    async with admission.alone(model_id), admission.place(request, lane="opening") as place:
        if not engine.has_upload(model_id):
            size = await place.work(lambda: engine.cost_of_upload(model_id))
            await place.hold(size, ahead=True)
        return await place.work(find)
