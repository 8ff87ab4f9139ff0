from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import numpy as np
from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from attnscope.tiles.picture_cache import MapPlace, PictureCache
from attnscope.trace.passes import PAUSE, pass_name
from attnscope.trace.plan import Plan
from attnscope.trace.stage_map import Extent
from attnscope.web.http.admission import wait_for_disconnect
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import engine_of

BITS = "application/octet-stream"


def picture_cache_of(request: Request) -> PictureCache:
    picture_cache: PictureCache = request.app.state.picture_cache
    return picture_cache


async def wait_for_pass(request: Request, planned: Plan, at: MapPlace) -> None:
    async for _ in pass_progress(request, planned, at):
        pass


async def pass_progress(
    request: Request, planned: Plan, at: MapPlace
) -> AsyncGenerator[dict[str, int] | None, None]:
    """Progress of another request's pass, None if unchanged. Raises ClientDisconnect."""
    name = pass_name(planned.id, at.stage, at.layer, at.head, at.batch)
    with engine_of(request).passes.waiting(name) as flight:
        if flight is None:
            return
        leaving, last = asyncio.ensure_future(wait_for_disconnect(request)), None
        try:
            while not flight.finished.is_set():
                now = flight.progress
                yield None if now == last else dict(zip(("done", "of"), now, strict=True))
                last = now
                await asyncio.wait({leaving}, timeout=PAUSE)
                if leaving.done():
                    raise ClientDisconnect
        finally:
            leaving.cancel()


def reply_in_bytes(request: Request, bits: np.ndarray, extent: Extent, **more: str) -> Response:
    """One byte per cell. X-Range: values of the bytes 0 and 254."""
    sent = reply(request, bits.tobytes(), BITS)
    sent.headers["X-Shape"] = ",".join(map(str, bits.shape))
    sent.headers["X-Range"] = ",".join(map(repr, extent))
    for name, value in more.items():
        sent.headers[name.replace("_", "-")] = value
    return sent
