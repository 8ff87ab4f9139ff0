"""Models opened for a request: an upload, within the memory that there is, and one that was
installed since the start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from fastapi import Request

from attnscope.installed.shelf import Shelf
from attnscope.tokens.processes import Elsewhere, briefly
from attnscope.trace.engine import Engine
from attnscope.web.http.requests import desk_of

T = TypeVar("T")


def engine_of(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def shelf_now(request: Request) -> Shelf:
    """The models on the server. Those that came since are opened in a thread: it takes a while."""
    shelf = engine_of(request).shelf
    if shelf.has_news():
        await desk_of(request).run(request, shelf.look, lane="texts")
    return shelf


async def beside(request: Request, work: Callable[[], T]) -> T:
    """work() in a thread, which may have texts cut in processes: in the lane of short texts if that
    is brief, else in that of long ones."""

    def brief() -> T:
        with briefly():
            return work()

    with suppress(Elsewhere):
        return await desk_of(request).run(request, brief, lane="short_texts")
    return await desk_of(request).run(request, work, lane="texts")


async def open_upload(request: Request, model_id: str, find: Callable[[], T]) -> T:
    """find(), the upload or capture of this id: from memory, or read from the disk with the memory
    that takes. Uploads that come in are not waited for, and of several requests one reads it."""
    engine, desk = engine_of(request), desk_of(request)
    if engine.has_upload(model_id):
        with suppress(Elsewhere):  # evicted in this moment
            return find()
    async with desk.alone(model_id), desk.place(request, lane="opening") as place:
        if not engine.has_upload(model_id):
            size = await place.work(lambda: engine.cost_of_upload(model_id))
            await place.hold(size, ahead=True)
        return await place.work(find)
