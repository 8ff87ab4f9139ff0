from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.addresses import CREDENTIAL
from attnscope.web.http.compression import coding_of, compressor_of
from attnscope.web.http.replies import client_has, weak_tag
from attnscope.web.http.requests import StrictRoute
from attnscope.web.http.tracking import is_tracking, without_tracking
from attnscope.web.pages.sheets import SHEETS
from attnscope.web.pages.static import StaticFiles
from attnscope.web.texts import Catalogue


@dataclass(frozen=True)
class CachedReply:
    response: Response
    tag: str
    coded: dict[str, bytes] = field(default_factory=dict)


class ReplyCache:
    """Cache of replies that are equal for all clients. Never evicts, as keys are few."""

    def __init__(self) -> None:
        self._made: dict[Hashable, CachedReply] = {}
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

    def _make(self, key: Hashable, make: Callable[[], Response], coding: str | None) -> CachedReply:
        with self._lock:
            made = self._made.get(key)
            if made is None:
                response = make()
                made = self._made[key] = CachedReply(response, weak_tag(response.body))
            if coding and coding not in made.coded:
                media = made.response.headers["content-type"].partition(";")[0]
                writer = compressor_of(coding, media)
                made.coded[coding] = writer.process(bytes(made.response.body)) + writer.finish()
            return made


BODY_HEADERS = ("content-length", "content-type", "content-encoding")


class Site:
    def __init__(self, templates: Path, static: StaticFiles, catalogue: Catalogue) -> None:
        self.static = static
        self.catalogue = catalogue
        self.kept = ReplyCache()
        self.environment = Environment(
            loader=FileSystemLoader(templates),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> Response:
        """`clean` in `context`: URL without tracking parameters, or None."""
        language = language_of(request)
        signed_in = request.scope.get(CREDENTIAL, "").startswith("session ")

        def say(key: str, **values: object) -> str:
            return self.catalogue.say(language, key, values)

        html = self.environment.get_template(template).render(
            lang=language,
            t=say,
            static=self.static.url,
            script=self.static.script,
            sheets="+".join(SHEETS[template.removesuffix(".html")]),
            version=self.static.version.partition("-")[0],
            path=request.url.path,
            query=str(request.query_params),
            status=status,
            signed_in=signed_in,
            **{"clean": without_tracking(request), **context},
        )
        headers = {
            "Content-Language": language,
            "Vary": "Accept-Language, Accept-Encoding",
            "Cache-Control": "no-cache",
        }
        if signed_in:  # else the sign-out form sends Origin: null
            headers["Referrer-Policy"] = "same-origin"
        return Response(html, status, headers, "text/html; charset=utf-8")


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


class PageRoute(StrictRoute):
    def ignores(self, name: str) -> bool:
        return is_tracking(name)

    def answering(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().answering()

        async def tagged(request: Request) -> Response:
            page = await handle(request)
            if request.method != "GET" or page.status_code != 200:
                return page
            tag = page.headers.setdefault("ETag", weak_tag(page.body))
            if not client_has(request, tag):
                return page
            # Browsers apply the headers of the 304 to the cached page.
            kept = {n: value for n, value in page.headers.items() if n not in BODY_HEADERS}
            return Response(None, 304, kept)

        return tagged
