"""The operations of the OpenAPI document, asked of one app; each reply is held to the document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import schemathesis
from fastapi.testclient import TestClient
from schemathesis import checks

from attnscope.main import create_app
from attnscope.settings import Settings
from tests.web.client import openapi_document

CHECKS = [
    checks.not_a_server_error,
    checks.content_type_conformance,
    checks.status_code_conformance,
    checks.response_schema_conformance,
]
PATIENCE = 300.0  # seconds; after ten, schemathesis would cancel what a busy machine still computes


def described() -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    paths = openapi_document()["paths"]
    return [(path, m.upper(), one) for path, methods in paths.items() for m, one in methods.items()]


@contextmanager
def operations_of(data: Path, **settings: Any) -> Iterator[Any]:
    """The document of a new app that lives as long as this: operations_of(…)[path][method]."""
    app = create_app(Settings(data_dir=data, **settings))

    async def outliving(scope: Any, receive: Any, send: Any) -> None:
        """The app, but for the end that schemathesis makes of it behind every test."""
        if scope["type"] != "lifespan":
            await app(scope, receive, send)

    with TestClient(app):
        yield schemathesis.openapi.from_asgi("/api/openapi.json", outliving)


def asked(document: Any, method: str, path: str, body: Any = None, **parts: Any) -> Any:
    """The reply to one request, where it keeps the document. `parts` are path parameters; of them
    `query` is the query."""
    query = parts.pop("query", {})
    media = {} if body is None else {"body": body, "media_type": "application/json"}
    case = document[path][method].Case(path_parameters=parts, query=query, **media)
    return validated(case)


def validated(case: Any) -> Any:
    """The reply to a case, where it keeps the document."""
    return case.call_and_validate(checks=CHECKS, timeout=PATIENCE)
