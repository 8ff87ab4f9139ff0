"""The OpenAPI document: FastAPI's, and what FastAPI cannot know."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from app.attention.parameters import TENSORS
from app.trace.stages import BY_NAME

PROBLEM = "application/problem+json"
SOURCE = "Which kind of model this is."


class Described(FastAPI):
    """An application whose document says how errors are sent and what each parameter is."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = complete(super().openapi())
        return self.openapi_schema


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document with problems under their own media type, and every field described."""
    for methods in document["paths"].values():
        for operation in methods.values():
            failed = operation["responses"]["default"]
            (schema,) = failed["content"].values()
            failed["content"] = {PROBLEM: schema}
    schemas = document["components"]["schemas"]
    for name in TENSORS:
        stage, field = BY_NAME[name], schemas["Explicit"]["properties"][name]
        field["description"] = f"{stage.formula}, [{']['.join(stage.axes)}]"
    for name in ("Seeded", "Explicit", "CraftedModel", "Uploaded"):
        schemas[name]["properties"]["source"]["description"] = SOURCE
    return document
