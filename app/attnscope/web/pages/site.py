from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from attnscope.web.http.addresses import CREDENTIAL
from attnscope.web.http.languages import language_of
from attnscope.web.http.queries import StrictRoute
from attnscope.web.http.replies import client_has, weak_tag
from attnscope.web.http.tracking import is_tracking, without_tracking
from attnscope.web.pages.reply_cache import ReplyCache
from attnscope.web.pages.sheets import SHEETS
from attnscope.web.pages.static import StaticFiles
from attnscope.web.texts import Catalogue

OF_THE_BODY = ("content-length", "content-type", "content-encoding")


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
        """`clean`: address without tracking parameters, or None."""
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
        if signed_in:  # else forms would send Origin: null
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
            # Browsers apply the 304's policies to the cached page.
            kept = {n: value for n, value in page.headers.items() if n not in OF_THE_BODY}
            return Response(None, 304, kept)

        return tagged
