"""The pages: templates, and what their scripts need to know."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

from cmap import Colormap
from fastapi import APIRouter, Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from latex2mathml.converter import convert
from starlette.staticfiles import StaticFiles

from app.attention.transformer import Block
from app.tokens import Tokenizer
from app.trace.question import Seeded
from app.trace.stages import PARAMETERS, STAGES, Stage
from app.web.i18n import Catalogue
from app.web.problems import language_of
from app.web.reference import groups
from app.web.schemas import DEFAULT_TEXT, AttentionRequest
from app.weights import crafted, schemes
from app.weights.schemes import Share

COLORS = {
    "light": {"diverging": "colorbrewer:RdBu", "sequential": "colorbrewer:YlGnBu"},
    "dark": {"diverging": "crameri:berlin_r", "sequential": "crameri:oslo"},
}
router = APIRouter(include_in_schema=False)


class Site:
    """Templates and versioned static files of one app."""

    def __init__(self, templates: Path, static: Path, catalogue: Catalogue, version: str) -> None:
        self.static_folder = static
        self.version = f"{version}-{fingerprint(static)}"
        self.catalogue = catalogue
        self.environment = Environment(
            loader=FileSystemLoader(templates),
            autoescape=select_autoescape(),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def url(self, path: str) -> str:
        return f"/static/{self.version}/{path}"

    def modules(self, page: str) -> list[str]:
        """The page's script and all it may import, to be fetched at once."""
        rooms = ("lib", "data", "views")
        folder = self.static_folder / "js"
        paths = [p for room in rooms for p in sorted((folder / room).glob("*.js"))]
        shared = [self.url(str(p.relative_to(self.static_folder))) for p in paths]
        return [*shared, self.url(f"js/pages/{page}.js")]

    def render(
        self, request: Request, template: str, status: int = 200, **context: Any
    ) -> Response:
        language = language_of(request)

        def say(key: str, **values: object) -> str:
            return self.catalogue.say(language, key, values)

        html = self.environment.get_template(template).render(
            lang=language,
            t=say,
            static=self.url,
            version=self.version.partition("-")[0],
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


def fingerprint(folder: Path) -> str:
    """Changes with every file, so that a browser never mixes two versions."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


class VersionedFiles(StaticFiles):
    """Kept for ever: another content has another address."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


@router.get("/")
async def explore(request: Request) -> Response:
    site = site_of(request)
    data = page_data(request)
    modules = site.modules("explore")
    return site.render(request, "explore.html", page_data=data, module_urls=modules)


@router.get("/api")
async def api(request: Request) -> Response:
    site = site_of(request)
    language = language_of(request)
    data = {"lang": language, "messages": _page_messages(site.catalogue, language)}
    described = groups(request.app.openapi())
    modules = site.modules("api")
    return site.render(request, "api.html", page_data=data, module_urls=modules, groups=described)


def page_data(request: Request) -> dict[str, Any]:
    site, settings = site_of(request), request.app.state.settings
    language = language_of(request)
    return {
        "lang": language,
        "version": site.version,
        "messages": _page_messages(site.catalogue, language),
        "stages": stage_rows(),
        "parameters": parameter_rows(),
        "colors": colors(),
        "defaults": default_question(),
        "limits": {
            "max_tokens": settings.max_tokens,
            "max_characters": settings.max_characters,
            "max_layers": 96,
            "max_heads": 256,
            "max_d_model": 8192,
            "max_upload_bytes": settings.max_upload_mb << 20,
        },
        "choices": {
            "init": schemes.INITS,
            "share": get_args(Share),
            "positions": get_args(Seeded.model_fields["positions"].annotation),
            "block": get_args(Block),
            "crafted": crafted.NAMES,
            "tokenizer": get_args(Tokenizer),
            "dtype": ["float64", "float32"],
        },
    }


def _page_messages(catalogue: Catalogue, language: str) -> dict[str, str]:
    """The page's own sentences; errors arrive as sentences from the server."""
    skipped = ("errors.", "examples.", "masked.")
    messages = catalogue.languages[language]
    return {key: text for key, text in messages.items() if not key.startswith(skipped)}


def _rows(stages: tuple[Stage, ...]) -> list[dict[str, Any]]:
    return [
        {
            "name": stage.name,
            "axes": stage.axes,
            "formula": stage.formula,
            "mathml": convert(stage.latex),
            "inputs": stage.inputs,
            "kind": stage.kind,
        }
        for stage in stages
    ]


stage_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(STAGES))
parameter_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(PARAMETERS))


@cache
def colors() -> dict[str, dict[str, str]]:
    """256 colours each, as RRGGBB after RRGGBB."""
    return {
        theme: {use: _hex(name) for use, name in uses.items()} for theme, uses in COLORS.items()
    }


def _hex(name: str) -> str:
    rgb = Colormap(name).lut(256)[:, :3]
    return "".join(f"{round(float(c) * 255):02x}" for color in rgb for c in color)


@cache
def default_question() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(AttentionRequest(text=DEFAULT_TEXT).model_dump_json())
    return data
