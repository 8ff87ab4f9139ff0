"""The document arranged for the page at /api."""

from __future__ import annotations

import json
import shlex
from functools import cache
from typing import Any

import pytest
from fastapi.testclient import TestClient
from markupsafe import escape

from attnscope.resources import static_dir
from attnscope.web.pages.api_reference import codes, groups, marked, problems
from attnscope.web.texts import Catalogue
from tests.web.client import openapi_document

CATALOGUE = Catalogue(static_dir() / "locales")
CODE = '<code translate="no">'
JSON = {"Content-Type": "application/json"}


@cache
def grouped() -> list[dict[str, Any]]:
    return groups(openapi_document())


def operations() -> dict[str, dict[str, Any]]:
    return {
        f"{operation['method']} {operation['path']}": operation
        for group in grouped()
        for operation in group["operations"]
    }


def test_every_operation_is_in_one_group() -> None:
    listed = [one for group in grouped() for one in group["operations"]]
    assert len(listed) == sum(len(methods) for methods in openapi_document()["paths"].values())
    tags = [group["tag"] for group in grouped()]
    assert len(set(tags)) == len(tags)
    assert {f"api.tag.{tag}" for tag in tags} <= CATALOGUE.languages["en"].keys()


def test_the_fields_of_a_question_are_listed_with_their_types() -> None:
    fields = {
        field["name"]: field for field in operations()["POST /api/v1/attention"]["body_fields"]
    }
    assert fields["text"]["type"] == "string | list of string | null"
    assert fields["temperature"]["type"] == "number"
    assert fields["temperature"]["default"] == "1.0"
    assert fields["tokenizer"]["type"] == "words | characters | whitespace | model | null"
    kinds = "Seeded | Explicit | CraftedModel | Uploaded | Installed | Trained | Captured"
    assert fields["model"]["type"] == kinds
    assert not any(field["required"] for field in fields.values())


def test_replies_and_problems_are_listed_with_their_fields() -> None:
    responses = {one["status"]: one for one in operations()["POST /api/v1/attention"]["responses"]}
    assert "layers" in [field["name"] for field in responses["200"]["fields"]]
    assert [field["name"] for field in responses["default"]["fields"]] == [
        "type", "title", "status", "detail", "code", "errors", "request_id",
    ]  # fmt: skip


def test_the_curl_line_can_be_pasted(subtests: pytest.Subtests) -> None:
    for name, operation in operations().items():
        with subtests.test(name):
            words = shlex.split(operation["curl"])
            assert words[0] == "curl"
            addresses = [word.partition("?")[0] for word in words]
            assert f"http://127.0.0.1:8000{operation['path']}" in addresses
            assert ("DELETE" in words) == name.startswith("DELETE")
            if "-d" in words:
                assert json.loads(words[words.index("-d") + 1]) == json.loads(
                    operation["body_example"]
                )


def test_the_curl_line_sends_the_method_of_its_operation(subtests: pytest.Subtests) -> None:
    for name, operation in operations().items():
        with subtests.test(name):
            words = shlex.split(operation["curl"])
            sends = "POST" if {"-d", "-F"} & set(words) else "GET"
            method = words[words.index("-X") + 1] if "-X" in words else sends
            assert method == operation["method"]


def test_the_curl_line_has_every_required_parameter() -> None:
    shown = operations()
    assert "?row={row}&col={col}" in shown["GET /api/v1/traces/{id}/cells/{stage}"]["curl"]
    assert "?row={row}" in shown["GET /api/v1/traces/{id}/jacobian"]["curl"]
    assert "?" not in shown["GET /api/v1/traces/{id}/heads"]["curl"]


def test_the_curl_line_of_a_question_is_answered(client: TestClient) -> None:
    words = shlex.split(operations()["POST /api/v1/attention"]["curl"])
    content = words[words.index("-d") + 1].encode()
    name, value = words[words.index("-H") + 1].split(": ")
    response = client.post("/api/v1/attention", content=content, headers={name: value})
    assert response.status_code == 200


def test_the_curl_line_of_a_form_names_the_files_that_it_needs() -> None:
    shown = operations()
    assert "-F weights=@weights.safetensors" in shown["POST /api/v1/models"]["curl"]
    assert "-F arrays=@arrays.safetensors" in shown["POST /api/v1/captures"]["curl"]


def test_the_page_shows_every_operation(client: TestClient) -> None:
    html = client.get("/api").text
    for operation in operations().values():
        assert operation["path"] in html
        assert escape(operation["summary"]) in html


def test_backticks_become_code_and_all_else_is_escaped(subtests: pytest.Subtests) -> None:
    cases = [
        ("plain", "plain"),
        ("`causal` and `window`", f"{CODE}causal</code> and {CODE}window</code>"),
        ('a < b & "c" `<b>`', f"a &lt; b &amp; &quot;c&quot; {CODE}&lt;b&gt;</code>"),
        ("one ` alone", "one ` alone"),
    ]
    for text, html in cases:
        with subtests.test(text):
            assert marked(text) == html


def test_every_code_has_its_status_in_the_order_of_statuses() -> None:
    assert list(codes().values()) == sorted(codes().values())
    assert codes()["invalid_json"] == 400
    assert codes()["unknown_trace"] == codes()["unknown_stage"] == 404
    assert codes()["invalid_request"] == codes()["shape_mismatch"] == 422
    assert codes()["storage_full"] == 507


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_of_errors_has_every_sentence_there_is(language: str) -> None:
    words = CATALOGUE.languages[language]
    rows = problems(CATALOGUE, language)
    assert [row["code"] for row in rows] == list(codes())
    sentences = {text for key, text in words.items() if key.startswith("errors.")}
    listed = [row["title"] for row in rows] + [s for row in rows for s in row["sentences"]]
    assert sentences == set(listed)
    assert all(row["sentences"] for row in rows)


def test_the_type_of_a_problem_leads_to_its_row(client: TestClient) -> None:
    body = client.post("/api/v1/attention", content=b"{", headers=JSON).json()
    response = client.get(f"{body['type']}?lang=zh", follow_redirects=False)
    assert response.status_code == 307
    assert response.headers["location"] == "/api?lang=zh#problem-invalid_json"
    page = client.get(body["type"])
    assert 'id="problem-invalid_json"' in page.text


def test_every_code_has_an_address(client: TestClient) -> None:
    page = client.get("/api").text
    for code in codes():
        moved = client.get(f"/problems/{code}", follow_redirects=False)
        assert moved.headers["location"] == f"/api#problem-{code}"
        assert f'id="problem-{code}"' in page


def test_a_code_that_is_none_is_unknown(client: TestClient, subtests: pytest.Subtests) -> None:
    for code in ("nothing", "x" * 500, "%3Cscript%3E"):
        with subtests.test(code):
            assert client.get(f"/problems/{code}").status_code == 404


@pytest.mark.parametrize("path", ["/api", "/api?lang=zh", "/api/openapi.json"])
def test_it_is_the_same_in_every_coding_and_not_sent_again(client: TestClient, path: str) -> None:
    replies = [client.get(path, headers={"Accept-Encoding": one}) for one in ("br", "gzip", "")]
    assert [one.headers.get("content-encoding") for one in replies] == ["br", "gzip", None]
    assert len({one.content for one in replies}) == 1
    (tag,) = {one.headers["etag"] for one in replies}
    assert all("Accept-Encoding" in one.headers["vary"] for one in replies)
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_each_language_has_its_own_and_links_that_keep_it(client: TestClient) -> None:
    by_header = client.get("/api", headers={"Accept-Language": "zh"})
    by_address = client.get("/api?lang=zh")
    english = client.get("/api")
    assert [one.headers["content-language"] for one in (by_header, by_address, english)] == [
        "zh", "zh", "en",
    ]  # fmt: skip
    assert 'href="/models?lang=zh"' in by_address.text
    assert 'href="/models"' in by_header.text
    assert len({one.headers["etag"] for one in (by_header, by_address, english)}) == 3
