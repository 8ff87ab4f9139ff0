from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from fastapi import FastAPI

from attnscope.attention.architecture import TENSORS
from attnscope.trace.question import Model
from attnscope.trace.stages import BY_NAME
from attnscope.web.http.authentication import COOKIE, is_open
from attnscope.web.http.problems import PROBLEM

WAYS_IN: dict[str, dict[str, str]] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "A key."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "The session of a person who signed in.",
    },
}
REFUSED = "A field or parameter is unknown, or its value means nothing: see `errors`."
SOURCE = "Which kind of model this is."


class Described(FastAPI):
    def __init__(self, document: Callable[[], dict[str, Any]], **options: Any) -> None:
        """document() returns the schema, shared by all apps."""
        super().__init__(**options)
        self._document = document

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            document = self._document()
            self.openapi_schema = _locked(document) if self.state.keys else document
        return self.openapi_schema


def complete(document: dict[str, Any]) -> dict[str, Any]:
    for methods in document["paths"].values():
        for operation in methods.values():
            failed = operation["responses"].pop("default")
            (schema,) = failed["content"].values()
            failed["content"] = {PROBLEM: schema}
            refused = {"description": REFUSED, "content": failed["content"]}
            operation["responses"] |= {"422": refused, "default": failed}
    schemas = document["components"]["schemas"]
    for name in TENSORS:
        stage, field = BY_NAME[name], schemas["Explicit"]["properties"][name]
        field["description"] = f"{stage.formula}, [{']['.join(stage.axes)}]"
    for kind in get_args(get_args(Model)[0]):
        schemas[kind.__name__]["properties"]["source"]["description"] = SOURCE
    return document


def _locked(document: dict[str, Any]) -> dict[str, Any]:
    components = {**document["components"], "securitySchemes": WAYS_IN}
    paths = {
        path: {m: {**one, "security": []} for m, one in methods.items()}
        if is_open(path)
        else methods
        for path, methods in document["paths"].items()
    }
    security: list[dict[str, list[str]]] = [{name: []} for name in WAYS_IN]
    return {**document, "components": components, "paths": paths, "security": security}
