"""Operations of the OpenAPI document, whose replies are validated."""

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
PATIENCE = 300.0  # seconds; schemathesis would cancel after ten


def described() -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method, description."""
    paths = openapi_document()["paths"]
    return [(path, m.upper(), one) for path, methods in paths.items() for m, one in methods.items()]


@contextmanager
def operations_of(data: Path, **settings: Any) -> Iterator[Any]:
    """operations_of(…)[path][method], of a new app."""
    app = create_app(Settings(data_dir=data, **settings))

    async def outliving(scope: Any, receive: Any, send: Any) -> None:
        """Ignores the shutdown that schemathesis sends after every test."""
        if scope["type"] != "lifespan":
            await app(scope, receive, send)

    with TestClient(app):
        yield schemathesis.openapi.from_asgi("/api/openapi.json", outliving)


def asked(document: Any, method: str, path: str, body: Any = None, **parts: Any) -> Any:
    """Validated. `parts`: path parameters, and `query`."""
    query = parts.pop("query", {})
    media = {} if body is None else {"body": body, "media_type": "application/json"}
    case = document[path][method].Case(path_parameters=parts, query=query, **media)
    return validated(case)


def validated(case: Any) -> Any:
    return case.call_and_validate(checks=CHECKS, timeout=PATIENCE)
