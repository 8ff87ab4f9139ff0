from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from fastapi import Request

from attnscope.installed.model_registry import ModelRegistry
from attnscope.tokens.processes import NeedsThread, raise_if_slow
from attnscope.web.http.requests import admission_of, engine_of

T = TypeVar("T")


async def current_registry(request: Request) -> ModelRegistry:
    """The registry, after opening new models in a thread."""
    registry = engine_of(request).registry
    if registry.has_new_models():
        await admission_of(request).run(request, registry.look, queue="texts")
    return registry


async def run_as_short_text(request: Request, work: Callable[[], T]) -> T:
    """Run in the queue of short texts; if too slow, in that of long texts."""

    def brief() -> T:
        with raise_if_slow():
            return work()

    with suppress(NeedsThread):
        return await admission_of(request).run(request, brief, queue="short_texts")
    return await admission_of(request).run(request, work, queue="texts")


async def open_upload(request: Request, model_id: str, find: Callable[[], T]) -> T:
    """Run find(). If that reads the disk, reserve memory, and read once for all requests."""
    engine, admission = engine_of(request), admission_of(request)
    if engine.has_upload(model_id):
        with suppress(NeedsThread):  # if evicted meanwhile
            return find()
    async with admission.exclusive(model_id), admission.place(request, queue="opening") as place:
        if not engine.has_upload(model_id):
            size = await place.work(lambda: engine.cost_of_upload(model_id))
            await place.hold(size, ahead=True)
        return await place.work(find)
