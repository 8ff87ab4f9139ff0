"""Which format is sent, what is chosen from a trace, and what is too large for JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.web.http.accept_headers import parse_qualities
from attnscope.web.http.negotiation import JSON, SAFETENSORS, welcome
from attnscope.web.serializers.selection import to_json
from tests.web.client import ATTENTION, TRACES, ask, posted, refused
from tests.web.conftest import MakeClient

PNG = "image/png"


def test_accept_is_weighed_by_quality(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("Application/JSON", JSON),
        ("application/json;charset=utf-8", JSON),
        (SAFETENSORS, SAFETENSORS),
        (f"{SAFETENSORS}, */*;q=0.1", SAFETENSORS),
        (f"{JSON}, {SAFETENSORS}", JSON),
        (f"{SAFETENSORS};q=0.5, {JSON}", JSON),
        (f"{JSON};q=0.5, {SAFETENSORS} ; q=0.6", SAFETENSORS),
        (f"{JSON};q=0, {SAFETENSORS}", SAFETENSORS),
        (f"*/*, {JSON};q=0", SAFETENSORS),
        ("text/html, application/xhtml+xml, */*;q=0.8", JSON),
        (PNG, None),
        (f"{JSON};q=0", None),
        ("*/*;q=0", None),
        (f"{JSON};q=.", None),
        (f"{JSON};q=nan", None),
        (",", None),
    ]
    for accept, media in cases:
        with subtests.test(accept):
            trace = ask(client, text="a")["trace"]
            read: dict[str, Any] = {"method": "GET", "url": f"{TRACES}/{trace}/stages/x"}
            for request in (posted({"text": "a"}), read):
                request["headers"] = {"Accept": accept}
                if media is None:
                    refused(client, request, 406, "not_acceptable")
                else:
                    response = client.request(**request)
                    assert response.headers["content-type"] == media


def test_the_format_of_the_address_goes_before_accept(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ("json", JSON),
        ("safetensors", SAFETENSORS),
        ("xml", None),
        ("", None),
        ("JSON", None),
    ]
    for query, media in cases:
        with subtests.test(query):
            request = {
                **posted({"text": "a"}),
                "params": {"format": query},
                "headers": {"Accept": PNG},
            }
            if media is None:
                body = refused(client, request, 406, "not_acceptable")
                assert body["errors"][0]["at"] == "format"
            else:
                assert client.request(**request).headers["content-type"] == media


def test_the_closest_range_decides() -> None:
    accept = "application/json;q=0.2, application/*;q=0.7, */*;q=0.9"
    assert welcome(parse_qualities(accept), JSON) == 0.2
    assert welcome(parse_qualities(accept), SAFETENSORS) == 0.7
    assert welcome(parse_qualities(accept), PNG) == 0.9
    assert welcome(parse_qualities("text/plain"), PNG) == 0


def test_what_is_no_number_is_null_in_json() -> None:
    data = {"a": np.array([[1.5, -np.inf], [np.inf, np.nan]]), "b": np.float32(0.1), "c": [None]}
    assert json.loads(to_json(data)) == {
        "a": [[1.5, None], [None, None]], "b": pytest.approx(0.1), "c": [None],
    }  # fmt: skip


def test_json_has_a_limit_and_says_the_ways_round_it(make_client: MakeClient) -> None:
    client = make_client(max_json_numbers=1000)
    question = {"text": "a b c"}
    body = refused(client, posted(question), 413, "too_large")
    for word in ("1,000", "stages", SAFETENSORS):
        assert word in body["detail"]
    assert client.post(ATTENTION, json={**question, "stages": ["x", "weights"]}).status_code == 200
    asked = client.post(ATTENTION, json=question, params={"format": "safetensors"})
    assert asked.status_code == 200
    refused(client, posted({**question, "stages": [], "parameters": True}), 413, "too_large")
