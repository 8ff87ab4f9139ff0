"""Templates, texts and static files of one app, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from app.web.i18n import Catalogue
from app.web.problems import language_of
from app.web.static import StaticFiles


class Site:
    """Renders a template in the reader's language."""

    def __init__(self, templates: Path, static: StaticFiles, catalogue: Catalogue) -> None:
        self.static = static
        self.catalogue = catalogue
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
        """A page; every template may use lang, t, static, version, path, query and status."""
        language = language_of(request)

        def say(key: str, **values: object) -> str:
            return self.catalogue.say(language, key, values)

        html = self.environment.get_template(template).render(
            lang=language,
            t=say,
            static=self.static.url,
            version=self.static.version.partition("-")[0],
            path=request.url.path,
            query=str(request.query_params),
            status=status,
            **context,
        )
        headers = {
            "Content-Language": language,
            "Vary": "Accept-Language",
            "Cache-Control": "no-cache",
        }
        return Response(html, status, headers, "text/html; charset=utf-8")
