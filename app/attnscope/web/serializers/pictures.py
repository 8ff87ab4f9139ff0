from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import numpy as np
from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from attnscope.tiles.long_map import COARSE, pass_name
from attnscope.tiles.map_passes import PAUSE
from attnscope.tiles.picture import Extent
from attnscope.tiles.picture_cache import PictureCache
from attnscope.tiles.stage_map import At
from attnscope.trace.plan import Plan
from attnscope.web.http.admission import departure
from attnscope.web.http.replies import reply

LEVEL_BYTES = 32  # per cell: sums, extremes and counts, copied once
ROW_BYTES = 200  # per row
STRIP_BYTES = 64 << 20  # of all cores
BITS = "application/octet-stream"


def picture_cache_of(request: Request) -> PictureCache:
    picture_cache: PictureCache = request.app.state.picture_cache
    return picture_cache


def pass_bytes(planned: Plan) -> int:
    if not planned.long:
        return 0
    return LEVEL_BYTES * COARSE**2 + ROW_BYTES * planned.n + STRIP_BYTES


async def landed(request: Request, planned: Plan, at: At) -> None:
    async for _ in flying(request, planned, at):
        pass


async def flying(
    request: Request, planned: Plan, at: At
) -> AsyncGenerator[dict[str, int] | None, None]:
    """Progress of another request's pass. Raises ClientDisconnect."""
    with picture_cache_of(request).passes.waiting(pass_name(planned, at)) as flight:
        if flight is None:
            return
        leaving, last = asyncio.ensure_future(departure(request)), None
        try:
            while not flight.landed.is_set():
                now = flight.progress
                yield None if now == last else dict(zip(("done", "of"), now, strict=True))
                last = now
                await asyncio.wait({leaving}, timeout=PAUSE)
                if leaving.done():
                    raise ClientDisconnect
        finally:
            leaving.cancel()


def in_bits(request: Request, bits: np.ndarray, extent: Extent, **more: str) -> Response:
    """A byte for each cell; X-Range: values of 0 and 254."""
    sent = reply(request, bits.tobytes(), BITS)
    sent.headers["X-Shape"] = ",".join(map(str, bits.shape))
    sent.headers["X-Range"] = ",".join(map(repr, extent))
    for name, value in more.items():
        sent.headers[name.replace("_", "-")] = value
    return sent
