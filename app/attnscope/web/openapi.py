from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from fastapi import FastAPI

from attnscope.attention.architecture import TENSORS
from attnscope.trace.numbers import nested_schema
from attnscope.trace.question import Model
from attnscope.trace.stages import BY_NAME, GATED_NAMES, STAGES
from attnscope.web.http.authentication import COOKIE, is_open
from attnscope.web.http.negotiation import JSON
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
TAGS = {
    "attention": "Every stage in one call.",
    "traces": "A question, its stages and analyses, piece by piece.",
    "predictions": "What a model says, and what that depends on.",
    "laboratory": "Experiments without a question.",
    "models": "Models on the server, and uploads.",
    "captures": "Attention that another program computed.",
    "training": "Small models that learn a task.",
    "examples": "Worked examples.",
    "learn": "Exercises of the course.",
    "health": "State of the server.",
}
REFUSED = "A field or parameter is unknown, or its value means nothing: see `errors`."
NUMBER = {"anyOf": [{"type": "number"}, {"type": "null"}]}
BINARY = {"schema": {"type": "string", "format": "binary"}}
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
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            operation["operationId"] = _operation_name(method, path)
            failed = operation["responses"].pop("default")
            (schema,) = failed["content"].values()
            failed["content"] = {PROBLEM: schema}
            refused = {"description": REFUSED, "content": failed["content"]}
            for response in operation["responses"].values():
                if "content" in response:
                    response["content"] = _describe_reply(response["content"])
            operation["responses"] |= {"422": refused, "default": failed}
            for parameter in operation.get("parameters", []):
                _describe_query(parameter["schema"])
    schemas = document["components"]["schemas"]
    for name in TENSORS:
        stage, field = BY_NAME[name], schemas["Explicit"]["properties"][name]
        field["description"] = f"{stage.formula}, [{']['.join(stage.axes)}]"
    for kind in get_args(get_args(Model)[0]):
        _require_source(schemas[kind.__name__])
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            _add_enum(field)
    schemas["LayerReply"] = _layer()
    for name in ("AttentionReply", "ExportReply", "GradientsReply"):
        layers = schemas[name]["properties"]["layers"]
        layers["items"] = {"$ref": "#/components/schemas/LayerReply"}
    document["tags"] = [{"name": name, "description": about} for name, about in TAGS.items()]
    document["servers"] = [{"url": "/"}]
    return document


def _operation_name(method: str, path: str) -> str:
    """Such as get_trace_stage: generators name functions by it."""
    parts = path.removeprefix("/api/v1").strip("/").split("/")
    named = [
        part.removesuffix("s") if after.startswith("{") else part
        for part, after in zip(parts, [*parts[1:], ""], strict=True)
        if not part.startswith("{")
    ]
    return "_".join([method, *named])


def _require_source(model: dict[str, Any]) -> None:
    """The default of `source` is of a question without a model: a model names its kind."""
    source = model["properties"]["source"]
    source["description"] = SOURCE
    source.pop("default", None)
    others = [name for name in model.get("required", []) if name != "source"]
    model["required"] = ["source", *others]


def _layer() -> dict[str, Any]:
    """Numbers by stage, which analyses and settings may leave out."""
    arrays = {
        stage.name: {
            **nested_schema(NUMBER, len(stage.axes)),
            "description": f"[{']['.join(stage.axes)}]; null where masked or not finite.",
        }
        for stage in (*STAGES, *(BY_NAME[name] for name in ("context", *GATED_NAMES)))
    }
    parameters = {
        "type": "object",
        "additionalProperties": {"anyOf": [nested_schema(NUMBER, 1), nested_schema(NUMBER, 2)]},
        "description": "w_q, w_k …, if asked for.",
    }
    attends_to = {
        "type": "string",
        "enum": ["self", "context"],
        "description": "Only of a decoder.",
    }
    return {
        "type": "object",
        "title": "LayerReply",
        "description": "Numbers of a layer: the stages that were asked for.",
        "properties": {**arrays, "parameters": parameters, "attends_to": attends_to},
    }


def _describe_reply(content: dict[str, Any]) -> dict[str, Any]:
    """Media types without parameters, JSON first, and a schema for each."""
    plain = {media.partition(";")[0]: kind for media, kind in content.items()}
    text = {"schema": {"type": "string"}}
    return {
        media: plain[media] or (text if media.startswith("text/") else BINARY)
        for media in sorted(plain, key=lambda one: one != JSON)
    }


def _describe_query(schema: dict[str, Any]) -> None:
    """A query has no null: its parameters are left out."""
    kinds = [one for one in schema.pop("anyOf", []) if one != {"type": "null"}]
    if len(kinds) == 1:
        schema |= kinds[0]
    elif kinds:
        schema["anyOf"] = kinds
    _add_enum(schema)


def _add_enum(schema: dict[str, Any]) -> None:
    """Some generators know no const."""
    if "const" in schema:
        schema["enum"] = [schema["const"]]


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
