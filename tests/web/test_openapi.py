"""The OpenAPI document: whole, described in every place, with examples that are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from attnscope.attention.architecture import TENSORS
from attnscope.trace.stages import BY_NAME
from tests.web.client import PROBLEM, TRACES, openapi_document, problem_of

CONTRACT = [
    "POST /api/v1/attention", "POST /api/v1/traces", "GET /api/v1/traces/{id}",
    "GET /api/v1/traces/{id}/question", "GET /api/v1/traces/{id}/stages/{stage}",
    "GET /api/v1/traces/{id}/cells/{stage}", "GET /api/v1/traces/{id}/export",
    "POST /api/v1/traces/{id}/gradients", "GET /api/v1/traces/{id}/jacobian",
    "POST /api/v1/models", "GET /api/v1/models/{id}", "DELETE /api/v1/models/{id}",
    "GET /api/v1/examples", "GET /healthz", "GET /readyz", "GET /metrics",
]  # fmt: skip


def schemas() -> dict[str, Any]:
    found: dict[str, Any] = openapi_document()["components"]["schemas"]
    return found


def operations() -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    }


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from nodes(inner)


def resolved(reference: str) -> Any:
    node: Any = openapi_document()
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


def test_the_document_is_what_the_app_serves(client: TestClient) -> None:
    response = client.get("/api/openapi.json")
    assert response.headers["content-type"] == "application/json"
    assert response.json() == openapi_document()
    assert openapi_document()["openapi"].startswith("3.1.")
    assert openapi_document()["info"]["title"] == "attnscope"
    assert re.fullmatch(r"\d+\.\d+\.\d+", openapi_document()["info"]["version"])


def test_every_operation_of_the_contract_is_there() -> None:
    assert set(CONTRACT) <= set(operations())


def test_every_reference_leads_somewhere() -> None:
    references = {node["$ref"] for node in nodes(openapi_document()) if "$ref" in node}
    assert references
    for reference in references:
        assert isinstance(resolved(reference), dict)
    mapped = [
        node["discriminator"]["mapping"]
        for node in nodes(openapi_document())
        if "discriminator" in node
    ]
    assert all(resolved(target) for mapping in mapped for target in mapping.values())


def test_no_two_operations_share_an_id() -> None:
    ids = [operation["operationId"] for operation in operations().values()]
    assert len(set(ids)) == len(ids)


def test_ids_of_operations_are_names_for_functions() -> None:
    ids = {name: operation["operationId"] for name, operation in operations().items()}
    assert ids["POST /api/v1/attention"] == "post_attention"
    assert ids["GET /api/v1/traces/{id}"] == "get_trace"
    assert ids["GET /api/v1/traces/{id}/cells/{stage}"] == "get_trace_cell"
    assert ids["GET /api/v1/models"] == "get_models"
    assert [one for one in ids.values() if not re.fullmatch(r"[a-z]+(_[a-z]+)+", one)] == []


def test_every_tag_is_described() -> None:
    described = [tag["name"] for tag in openapi_document()["tags"] if tag["description"]]
    used = {tag for operation in operations().values() for tag in operation["tags"]}
    assert sorted(described) == sorted(used)


def test_an_operation_says_what_it_does_and_what_it_takes(subtests: pytest.Subtests) -> None:
    for name, operation in operations().items():
        with subtests.test(name):
            assert operation["summary"]
            assert len(operation["description"]) > len("Too short")
            assert operation["tags"]
            parameters = operation.get("parameters", [])
            for parameter in parameters:
                assert parameter["description"], parameter["name"]
                assert parameter["schema"]
            in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
            assert in_path == set(re.findall(r"\{(\w+)\}", name))


def test_an_operation_says_how_it_answers_and_how_it_fails(subtests: pytest.Subtests) -> None:
    good = {"POST /api/v1/traces": "201", "POST /api/v1/models": "201"}
    good |= {"POST /api/v1/captures": "201"}
    good |= {f"DELETE /api/v1/{kind}/{{id}}": "204" for kind in ("models", "captures")}
    for name, operation in operations().items():
        with subtests.test(name):
            responses = operation["responses"]
            assert set(responses) == {good.get(name, "200"), "422", "default"}
            for response in responses.values():
                assert response["description"]
            for status in ("422", "default"):
                failed = responses[status]["content"]
                assert failed == {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}


def test_json_of_a_reply_has_a_schema_and_pictures_of_heads_have_no_json() -> None:
    sent = {
        f"{name} {status}": content
        for name, operation in operations().items()
        for status, response in operation["responses"].items()
        for media, content in response.get("content", {}).items()
        if media == "application/json"
    }
    assert [name for name, content in sent.items() if not content.get("schema")] == []
    assert not any("/thumbnails/" in name for name in sent)


def test_an_only_value_is_an_enum_too() -> None:
    """Some generators know no const."""
    only = [node for node in nodes(openapi_document()) if "const" in node]
    assert len(only) > 10
    assert [one for one in only if one.get("enum") != [one["const"]]] == []


def test_every_list_says_what_it_lists() -> None:
    """Generators of clients leave out a whole operation for one list without items."""
    lists = [node for node in nodes(openapi_document()) if node.get("type") == "array"]
    assert [one for one in lists if "items" not in one] == []


def test_models_of_a_question_must_name_their_source(client: TestClient) -> None:
    kinds = schemas()["AttentionRequest"]["properties"]["model"]["discriminator"]["mapping"]
    for source, reference in kinds.items():
        kind = resolved(reference)
        assert "source" in kind["required"]
        assert kind["properties"]["source"] | {"const": source} == kind["properties"]["source"]
        assert "default" not in kind["properties"]["source"]
        assert kind["properties"]["source"]["enum"] == [source]
    bare = client.post(TRACES, json={"text": "a", "model": {"seed": 1}})
    assert problem_of(bare, 422, "invalid_request")


def test_a_file_is_described_as_text_or_bytes_under_its_media_type(client: TestClient) -> None:
    raw = {
        media: content["schema"]
        for operation in operations().values()
        for response in operation["responses"].values()
        for media, content in response.get("content", {}).items()
        if not media.endswith("json")
    }
    text = {media for media, schema in raw.items() if schema == {"type": "string"}}
    assert text == {"text/csv", "text/html", "text/event-stream", "text/plain"}
    files = {f"application/{name}" for name in ("octet-stream", "zip", "x-npz", "x-safetensors")}
    assert set(raw) - text == files
    assert all(raw[media] == {"type": "string", "format": "binary"} for media in files)
    export = operations()["GET /api/v1/traces/{id}/export"]["responses"]["200"]["content"]
    assert next(iter(export)) == "application/json"


def test_no_query_parameter_is_null(client: TestClient) -> None:
    trace = client.post(TRACES, json={"text": "a"}).json()["trace"]
    literal = client.get(f"{TRACES}/{trace}/heads?tokens=words&keys=null")
    assert problem_of(literal, 422, "invalid_request")
    nullable = [
        (name, parameter["name"])
        for name, operation in operations().items()
        for parameter in operation["parameters"]
        if {"type": "null"} in parameter["schema"].get("anyOf", [])
    ]
    assert nullable == []


def test_every_field_is_described() -> None:
    assert [name for name, schema in schemas().items() if not schema["description"]] == []
    fields = {
        f"{name}.{field}": resolved(value["$ref"]) if "$ref" in value else value
        for name, schema in schemas().items()
        for field, value in schema["properties"].items()
    }
    assert [field for field, value in fields.items() if not value.get("description")] == []


def test_the_form_of_an_upload_is_described() -> None:
    content = operations()["POST /api/v1/models"]["requestBody"]["content"]
    form = content["multipart/form-data"]["schema"]
    files = {"weights", "config", "tokenizer"}
    assert set(form["properties"]) == files | {"num_heads", "mapping", "name", "accept"}
    assert form["required"] == ["weights"]
    assert all(field["description"] for field in form["properties"].values())


def test_each_parameter_of_explicit_weights_names_its_axes() -> None:
    for name in TENSORS:
        description = schemas()["Explicit"]["properties"][name]["description"]
        assert all(f"[{axis}]" in description for axis in BY_NAME[name].axes)


def test_the_examples_are_accepted(client: TestClient) -> None:
    tried = 0
    echo = {"source": "installed", "name": "echo"}
    seeded, predicting = (
        client.post("/api/v1/traces", json={"text": "a b", **model}).json()["trace"]
        for model in ({}, {"model": echo})
    )
    for name, operation in operations().items():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        for example in resolved(content["schema"]["$ref"])["examples"]:
            method, path = name.split()
            trace = predicting if "continuations" in path else seeded
            path = path.replace("{id}", trace).replace("{chapter}", "scores")
            response = client.request(method, path, json=example)
            assert response.status_code in (200, 201), response.text
            tried += 1
    assert tried >= 2


def test_a_layer_has_the_stages_that_are_described(client: TestClient) -> None:
    layer = {"$ref": "#/components/schemas/LayerReply"}
    for name in ("AttentionReply", "ExportReply", "GradientsReply"):
        assert schemas()[name]["properties"]["layers"]["items"] == layer
    described = schemas()["LayerReply"]["properties"]
    decoder = {"source": "seeded", "block": "decoder", "bias": True}
    stages = ["x", "context", "masked_scores", "weights", "mlp_output", "activated", "output"]
    body = {"text": "a b", "context": "c", "model": decoder, "stages": stages, "parameters": True}
    layers = client.post("/api/v1/attention", json=body).json()["layers"]
    assert {*stages, "parameters", "attends_to"} == set().union(*layers)
    for one in layers:
        assert one.keys() <= described.keys()
        for stage in one.keys() - {"parameters", "attends_to"}:
            array, schema = one[stage], described[stage]
            while isinstance(array, list):
                array, schema = array[0], schema["items"]
            assert schema == {"anyOf": [{"type": "number"}, {"type": "null"}]}


def test_an_export_has_the_fields_that_are_described(client: TestClient) -> None:
    trace = client.post(TRACES, json={"text": "a b", "context": "c"}).json()["trace"]
    export = f"{TRACES}/{trace}/export"
    got = client.get(export, params={"tokens": "words"}).json().keys()
    got |= client.get(export, params={"skip": "0"}).json().keys()
    assert {"words", "context_words", "skip"} <= got <= set(schemas()["ExportReply"]["properties"])


def test_a_reply_has_the_fields_that_are_described(client: TestClient) -> None:
    example = schemas()["AttentionRequest"]["examples"][0]
    reply = client.post("/api/v1/attention", json=example).json()
    decoder = {"source": "seeded", "block": "decoder"}
    answer = client.post("/api/v1/attention", json={"text": "a", "context": "b", "model": decoder})
    model = {"source": "installed", "name": "echo"}
    installed = client.post("/api/v1/attention", json={"text": "a", "model": model}).json()
    assert set(installed) - {"mlp_width"} == {*reply, "scales"}
    elsewhere = {
        "sentences",
        "continues",
        "context_continues",
        "unknown",
        "stages",
        "encoder_layers",
        "encoder_holds",
    }  # of models on the disk, or captures, alone
    long = client.post("/api/v1/attention", json={"text": "a " * 4097, "stages": ["q"]}).json()
    assert set(long) - set(reply) == {"whole_tokens"}
    elsewhere |= {"whole_tokens", "gradient_tokens"}
    assert {*answer.json(), "scales", *elsewhere} == set(schemas()["AttentionReply"]["properties"])
    assert set(answer.json()) - set(reply) == {"attends_to", "context_holds", "mlp_width"}
    assert set(reply["shape"]) == set(schemas()["ShapeReply"]["properties"])
    assert set(reply["checks"]) == set(schemas()["ChecksReply"]["properties"])
    problem = client.get("/nothing").json()
    assert set(problem) == set(schemas()["Problem"]["properties"])
