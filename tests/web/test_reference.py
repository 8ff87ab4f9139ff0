"""The document arranged for the page at /api."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from app.web.reference import groups

DOCUMENT = create_app(Settings()).openapi()
GROUPS = groups(DOCUMENT)
OPERATIONS: dict[str, dict[str, Any]] = {
    f"{operation['method']} {operation['path']}": operation
    for group in GROUPS
    for operation in group["operations"]
}


def test_every_operation_is_in_one_group() -> None:
    listed = [one for group in GROUPS for one in group["operations"]]
    assert len(listed) == sum(len(methods) for methods in DOCUMENT["paths"].values())
    assert [group["tag"] for group in GROUPS] == [
        "attention", "traces", "models", "examples", "health",
    ]  # fmt: skip


def test_the_fields_of_a_question_are_told_with_their_types() -> None:
    fields = {field["name"]: field for field in OPERATIONS["POST /api/v1/attention"]["body_fields"]}
    assert fields["text"]["type"] == "string | list of string | null"
    assert fields["temperature"]["type"] == "number"
    assert fields["temperature"]["default"] == "1.0"
    assert fields["tokenizer"]["type"] == "words | characters | whitespace"
    assert fields["model"]["type"] == "Seeded | Explicit | CraftedModel | Uploaded"
    assert not any(field["required"] for field in fields.values())


def test_replies_and_problems_are_told_with_their_fields() -> None:
    responses = {one["status"]: one for one in OPERATIONS["POST /api/v1/attention"]["responses"]}
    assert "layers" in [field["name"] for field in responses["200"]["fields"]]
    assert [field["name"] for field in responses["default"]["fields"]] == [
        "type", "title", "status", "detail", "code", "errors", "request_id",
    ]  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_curl_line_can_be_pasted(name: str) -> None:
    operation = OPERATIONS[name]
    words = shlex.split(operation["curl"])
    assert words[0] == "curl"
    assert f"http://127.0.0.1:8000{operation['path']}" in words
    assert ("DELETE" in words) == name.startswith("DELETE")
    if "-d" in words:
        assert json.loads(words[words.index("-d") + 1]) == json.loads(operation["body_example"])


def test_the_curl_line_of_a_question_is_answered(client: TestClient) -> None:
    words = shlex.split(OPERATIONS["POST /api/v1/attention"]["curl"])
    content = words[words.index("-d") + 1].encode()
    name, value = words[words.index("-H") + 1].split(": ")
    response = client.post("/api/v1/attention", content=content, headers={name: value})
    assert response.status_code == 200


def test_the_page_shows_every_operation(client: TestClient) -> None:
    html = client.get("/api").text
    for operation in OPERATIONS.values():
        assert operation["path"] in html
        assert operation["summary"] in html
