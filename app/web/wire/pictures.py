"""Pictures as bytes: eight bits a cell, with the shape and the range in headers."""

from __future__ import annotations

import numpy as np
from fastapi import Request, Response

from app.tiles.picture import Extent
from app.web.http.replies import reply

BITS = "application/octet-stream"


def in_bits(request: Request, bits: np.ndarray, extent: Extent, **more: str) -> Response:
    """X-Shape: the sizes; X-Range: what 0 and 254 stand for; `more` headers by name."""
    sent = reply(request, bits.tobytes(), BITS)
    sent.headers["X-Shape"] = ",".join(map(str, bits.shape))
    sent.headers["X-Range"] = ",".join(map(repr, extent))
    for name, value in more.items():
        sent.headers[name.replace("_", "-")] = value
    return sent
