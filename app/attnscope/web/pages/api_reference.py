from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from attnscope.errors import AttnscopeError, Unknown
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.addresses import CREDENTIAL
from attnscope.web.http.negotiation import JSON, MULTIPART
from attnscope.web.http.problems import STATUS
from attnscope.web.http.requests import LANG, RELEASE
from attnscope.web.pages.data import page_messages
from attnscope.web.pages.site import PageRoute, site_of
from attnscope.web.serializers.selection import to_json
from attnscope.web.texts import Catalogue

SHARED = (LANG, RELEASE)
HOST = "http://127.0.0.1:8000"
router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/api")
async def api(request: Request) -> Response:
    site, language = site_of(request), language_of(request)
    signed_in = request.scope.get(CREDENTIAL, "").startswith("session ")

    def make() -> Response:
        data = {"lang": language, "messages": page_messages(site.catalogue, language, learn=False)}
        return site.render(
            request,
            "api.html",
            clean=None,  # as the page is cached for all URLs
            page_data=data,
            groups=groups(request.app.openapi()),
            problems=problems(site.catalogue, language),
            marked=marked,
        )

    key = ("/api", language, "lang=" in str(request.query_params), signed_in)
    return await site.kept.reply(request, key, make)


@router.get("/api/openapi.json")
async def document(request: Request) -> Response:
    headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-cache"}

    def make() -> Response:
        return Response(to_json(request.app.openapi()), 200, headers, JSON)

    return await site_of(request).kept.reply(request, "openapi", make)


@router.get("/problems/{code}")
async def problem(request: Request, code: str) -> Response:
    """Redirect to the problem's entry in /api."""
    if code not in codes():
        raise Unknown("no_page", path=request.url.path[:200])
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/api{query}#problem-{code}", 307)


def groups(openapi: dict[str, Any]) -> list[dict[str, Any]]:
    by_tag: dict[str, list[dict[str, Any]]] = {}
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            tag = operation.get("tags", ["other"])[0]
            by_tag.setdefault(tag, []).append(_operation(openapi, path, method, operation))
    return [{"tag": tag, "operations": operations} for tag, operations in by_tag.items()]


def marked(text: str) -> str:
    return re.sub(r"`([^`]+)`", r'<code translate="no">\1</code>', html.escape(text))


@cache
def codes() -> dict[str, int]:
    found = {
        kind.code: next(STATUS[one] for one in kind.__mro__ if one in STATUS)
        for root in STATUS
        for kind in _family(root)
    }
    return dict(sorted(found.items(), key=lambda row: row[1]))


def _family(kind: type[AttnscopeError]) -> Iterator[type[AttnscopeError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _family(child)


def problems(catalogue: Catalogue, language: str) -> list[dict[str, Any]]:
    messages = catalogue.languages[language]
    rows = []
    for code, status in codes().items():
        start, title = f"errors.{code}.", f"errors.{code}.title"
        sentences = [messages[key] for key in messages if key.startswith(start) and key != title]
        row = {"code": code, "status": status, "title": messages[title], "sentences": sentences}
        rows.append(row)
    return rows


def _operation(
    openapi: dict[str, Any], path: str, method: str, operation: dict[str, Any]
) -> dict[str, Any]:
    body = operation.get("requestBody", {})
    schema, media = _schema_of(openapi, body), next(iter(body.get("content", {})), None)
    example = (schema.get("examples") or [None])[0]
    return {
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "parameters": [
            _parameter(one) for one in operation.get("parameters", []) if one not in SHARED
        ],
        "body_media": media,
        "body_example": example and json.dumps(example, indent=2, ensure_ascii=False),
        "body_fields": _fields(openapi, schema),
        "responses": [
            {"status": status, "description": response.get("description", "")}
            | {"fields": _fields(openapi, _schema_of(openapi, response)), "example": None}
            for status, response in operation["responses"].items()
        ],
        "curl": _curl(
            path + _required_query(operation),
            method,
            example,
            schema if media == MULTIPART else None,
        ),
    }


def _resolve(openapi: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _schema_of(openapi: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    media: dict[str, Any] = next(iter(message.get("content", {}).values()), {})
    return _resolve(openapi, media.get("schema", {}))


def _fields(openapi: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "type": _type(openapi, field),
            "default": json.dumps(field["default"]) if "default" in field else None,
            "required": name in required,
            "description": field.get("description", ""),
        }
        for name, field in schema.get("properties", {}).items()
    ]


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema", {})
    return {
        "name": parameter["name"],
        "in": parameter["in"],
        "required": parameter.get("required", False),
        "type": _type({}, schema),
        "default": schema.get("default"),
        "description": parameter.get("description") or schema.get("description", ""),
    }


def _type(openapi: dict[str, Any], schema: dict[str, Any]) -> str:
    """Such as `integer | null` or `list of string`."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " | ".join(dict.fromkeys(_type(openapi, one) for one in schema[choice]))
    if schema.get("type") == "array":
        return f"list of {_type(openapi, schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _required_query(operation: dict[str, Any]) -> str:
    """Such as `?row={row}&col={col}`."""
    names = [
        one["name"]
        for one in operation.get("parameters", [])
        if one.get("in") == "query" and one.get("required")
    ]
    return "?" + "&".join(f"{name}={{{name}}}" for name in names) if names else ""


def _curl(path: str, method: str, example: Any, form: dict[str, Any] | None) -> str:
    words = ["curl", f"{HOST}{path}"]
    # Without -X, curl sends POST only with a body.
    if method == "delete" or (method == "post" and not form and example is None):
        words[1:1] = ["-X", method.upper()]
    if form:
        for name in form["required"]:
            words += ["-F", f"{name}=@{name}.safetensors"]
    elif example is not None:
        body = json.dumps(example, ensure_ascii=False)
        words += ["-H", "Content-Type: application/json", "-d", body]
    return shlex.join(words)
