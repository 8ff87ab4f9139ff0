"""Stages for the eye: what is asked of them, and pictures as bytes."""

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

LEVEL_BYTES = 32  # of each square: sums, extremes, how many are open; and again while it is written
ROW_BYTES = 200  # of what each row tells
STRIP_BYTES = 64 << 20  # of what all cores work on
BITS = "application/octet-stream"


def picture_cache_of(request: Request) -> PictureCache:
    picture_cache: PictureCache = request.app.state.picture_cache
    return picture_cache


def pass_bytes(planned: Plan) -> int:
    """What a pass over a map of a long text takes, and what comes of it."""
    if not planned.long:
        return 0
    return LEVEL_BYTES * COARSE**2 + ROW_BYTES * planned.n + STRIP_BYTES


async def landed(request: Request, planned: Plan, at: At) -> None:
    """Waits for a pass over the same map that is on its way."""
    async for _ in flying(request, planned, at):
        pass


async def flying(
    request: Request, planned: Plan, at: At
) -> AsyncGenerator[dict[str, int] | None, None]:
    """How far a pass over the same map is that is on its way, until it has landed; None where there
    is no news. Outside of all lanes: who waits does nothing. Raises ClientDisconnect where the
    caller leaves."""
    with picture_cache_of(request).passes.waiting(pass_name(planned, at)) as flight:
        if flight is None:
            return
        leaving, told = asyncio.ensure_future(departure(request)), None
        try:
            while not flight.landed.is_set():
                now = flight.progress
                yield None if now == told else dict(zip(("done", "of"), now, strict=True))
                told = now
                await asyncio.wait({leaving}, timeout=PAUSE)
                if leaving.done():
                    raise ClientDisconnect
        finally:
            leaving.cancel()


def in_bits(request: Request, bits: np.ndarray, extent: Extent, **more: str) -> Response:
    """Eight bits a cell. X-Shape: the sizes; X-Range: what 0 and 254 stand for; `more` headers by
    name."""
    sent = reply(request, bits.tobytes(), BITS)
    sent.headers["X-Shape"] = ",".join(map(str, bits.shape))
    sent.headers["X-Range"] = ",".join(map(repr, extent))
    for name, value in more.items():
        sent.headers[name.replace("_", "-")] = value
    return sent
