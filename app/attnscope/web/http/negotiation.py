from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Query, Request

from attnscope.web.http.accept_headers import Wanted, parse_qualities
from attnscope.web.http.problems import NotAcceptable

JSON, SAFETENSORS = "application/json", "application/x-safetensors"
MULTIPART = "multipart/form-data"


async def chosen_format(
    request: Request,
    format: Annotated[
        str | None,
        Query(
            description="json or safetensors; left out: what Accept prefers.",
            json_schema_extra={"enum": ["json", "safetensors"]},
        ),
    ] = None,
) -> str:
    """?format= precedes Accept."""
    if format is not None:
        if format not in ("json", "safetensors"):
            raise NotAcceptable("format", at="format", given=format[:40])
        return SAFETENSORS if format == "safetensors" else JSON
    return most_welcome(request, (JSON, SAFETENSORS), "accept")


def most_welcome(request: Request, medias: Sequence[str], reason: str) -> str:
    """The media type that Accept prefers, or the first. Raises NotAcceptable(reason)."""
    accept = request.headers.get("accept", "").strip() or "*/*"
    ranges = parse_qualities(accept)
    welcomes = {media: welcome(ranges, media) for media in medias}
    best = max(medias, key=welcomes.__getitem__)
    if welcomes[best] <= 0:
        raise NotAcceptable(reason, given=accept[:80])
    return best


def welcome(ranges: Sequence[Wanted], media: str) -> float:
    """The quality of the most specific range that matches (RFC 9110, section 12.5.1)."""
    nearness = {media: 3, f"{media.partition('/')[0]}/*": 2, "*/*": 1}
    closest, quality = 0, 0.0
    for name, given in ranges:
        if nearness.get(name, 0) > closest:
            closest, quality = nearness[name], given
    return quality


Media = Annotated[str, Depends(chosen_format)]
