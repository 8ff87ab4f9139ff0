"""The pages: templates, and what their scripts need to know."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, get_args

from cmap import Colormap
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from latex2mathml.converter import convert

from app.attention.precision import Dtype
from app.attention.transformer import Block
from app.errors import Unknown
from app.tokens import Tokenizer
from app.trace.question import Seeded
from app.trace.stages import OPERANDS, PARAMETERS, STAGES, Stage
from app.web.i18n import Catalogue
from app.web.middleware import POLICY
from app.web.problems import language_of
from app.web.reference import codes, groups, marked, problems
from app.web.schemas import DEFAULT_TEXT, AttentionRequest
from app.web.site import Site
from app.weights import crafted, schemes
from app.weights.schemes import Share

COLORS = {
    "light": {"diverging": "colorbrewer:RdBu", "sequential": "colorbrewer:YlGnBu"},
    "dark": {"diverging": "crameri:berlin_r", "sequential": "crameri:oslo"},
}
# The scripts of tabs that draw every head: where the address opens one, they are fetched first,
# since what the page asks for before it draws is told by them.
TABS = {"heads": "js/views/grid.js", "lines": "js/views/lines.js"}
router = APIRouter(include_in_schema=False)


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def warm() -> None:
    """What every page needs and nobody should wait for: done before the first request."""
    for prepare in (stage_rows, parameter_rows, operand_rows, colors, default_question):
        prepare()


@router.get("/")
async def explore(request: Request) -> Response:
    site = site_of(request)
    data = page_data(request)
    modules = site.static.modules("js/pages/explore.js")
    if tab := TABS.get(request.query_params.get("tab", "")):
        modules = list(dict.fromkeys([*site.static.modules(tab), *modules]))
    return site.render(request, "explore.html", page_data=data, module_urls=modules)


@router.get("/compare")
async def compare(request: Request) -> Response:
    site = site_of(request)
    data = page_data(request)
    modules = site.static.modules("js/pages/compare.js")
    return site.render(request, "compare.html", page_data=data, module_urls=modules)


@router.get("/embed")
async def embed(request: Request) -> Response:
    """The Explore page without its controls, for frames of the pages that the settings name."""
    site = site_of(request)
    modules = site.static.modules("js/pages/explore.js")
    data = page_data(request)
    response = site.render(request, "embed.html", page_data=data, module_urls=modules)
    ancestors = request.app.state.settings.frame_ancestors
    response.headers["Content-Security-Policy"] = f"{POLICY}frame-ancestors {ancestors}"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@router.get("/api")
async def api(request: Request) -> Response:
    site = site_of(request)
    language = language_of(request)
    data = {"lang": language, "messages": _page_messages(site.catalogue, language)}
    return site.render(
        request,
        "api.html",
        page_data=data,
        module_urls=site.static.modules("js/pages/api.js"),
        groups=groups(request.app.openapi()),
        problems=problems(site.catalogue, language),
        marked=marked,
    )


@router.get("/problems/{code}")
async def problem(request: Request, code: str) -> Response:
    """What the `type` of a problem points to: its row in the table of errors."""
    if code not in codes():
        raise Unknown("no_page", path=request.url.path[:200])
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/api{query}#problem-{code}", 307)


def page_data(request: Request) -> dict[str, Any]:
    site, settings = site_of(request), request.app.state.settings
    language = language_of(request)
    return {
        "lang": language,
        "version": site.static.version,
        "messages": _page_messages(site.catalogue, language),
        "stages": stage_rows(),
        "parameters": parameter_rows(),
        "operands": operand_rows(),
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
            "dtype": get_args(Dtype),
        },
    }


def _page_messages(catalogue: Catalogue, language: str) -> dict[str, str]:
    """The page's own sentences; errors arrive as sentences from the server."""
    skipped = ("errors.", "examples.", "exercise.", "learn.", "masked.")
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
            "variants": {one.when: convert(one.latex) for one in stage.variants},
        }
        for stage in stages
    ]


stage_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(STAGES))
parameter_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(PARAMETERS))
operand_rows: Callable[[], list[dict[str, Any]]] = cache(lambda: _rows(OPERANDS))


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
