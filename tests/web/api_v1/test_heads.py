"""GET /traces/{id}/heads."""

from __future__ import annotations

from fastapi.testclient import TestClient


def test_every_head_of_every_layer_is_measured(client: TestClient) -> None:
    body = {"text": ["one two three", "four five"], "model": {"source": "crafted", "name": "all"}}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    heads = client.get(f"/api/v1/traces/{trace}/heads?batch=1").json()["heads"]
    assert [(one["layer"], one["head"]) for one in heads] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    assert heads[0]["previous"] > 0.999
    assert heads[1]["first"] > 0.999


def test_a_text_that_is_not_in_the_batch_is_refused(client: TestClient) -> None:
    trace = client.post("/api/v1/traces", json={"text": "one"}).json()["trace"]
    reply = client.get(f"/api/v1/traces/{trace}/heads?batch=1")
    assert (reply.status_code, reply.json()["errors"][0]["at"]) == (422, "batch")


def test_with_a_context_only_what_needs_no_common_places_is_measured(client: TestClient) -> None:
    body = {"text": "one two", "context": "three four five"}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    one = client.get(f"/api/v1/traces/{trace}/heads").json()["heads"][0]
    assert (one["distance"], one["previous"], one["own"]) == (None, None, None)
    assert one["entropy"] > 0
    assert one["first"] > 0
