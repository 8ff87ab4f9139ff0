from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

from fastapi import Request, Response

from attnscope.web.http.compression import coding_of, compressor_of
from attnscope.web.http.replies import weak_tag


@dataclass(frozen=True)
class Made:
    response: Response
    tag: str
    coded: dict[str, bytes] = field(default_factory=dict)


class ReplyCache:
    """Replies that are the same for all clients. Never evicts, as keys are few."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Made] = {}
        self._lock = Lock()

    async def reply(
        self, request: Request, key: Hashable, make: Callable[[], Response]
    ) -> Response:
        coding = coding_of(request.headers.get("accept-encoding"))
        made = self._made.get(key)
        if made is None or (coding and coding not in made.coded):
            made = await asyncio.to_thread(self._make, key, make, coding)
        kept = made.response
        headers = {n: value for n, value in kept.headers.items() if n != "content-length"}
        headers["etag"] = made.tag
        if coding:
            headers["content-encoding"] = coding
        return Response(made.coded[coding] if coding else kept.body, kept.status_code, headers)

    def _make(self, key: Hashable, make: Callable[[], Response], coding: str | None) -> Made:
        with self._lock:
            made = self._made.get(key)
            if made is None:
                response = make()
                made = self._made[key] = Made(response, weak_tag(response.body))
            if coding and coding not in made.coded:
                media = made.response.headers["content-type"].partition(";")[0]
                writer = compressor_of(coding, media)
                made.coded[coding] = writer.process(bytes(made.response.body)) + writer.finish()
            return made
