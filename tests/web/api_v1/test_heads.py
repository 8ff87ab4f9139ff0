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


def test_padded_queries_do_not_count_though_they_attend(client: TestClient) -> None:
    body = {"text": ["one two three", "four five"], "model": {"source": "crafted", "name": "all"}}

    def measured(**more: str) -> object:
        trace = client.post("/api/v1/traces", json={**body, **more}).json()["trace"]
        return client.get(f"/api/v1/traces/{trace}/heads?batch=1").json()["heads"]

    assert measured(padding="keys") == measured()


def test_a_mask_is_taken_over_the_api_and_says_why_a_cell_is_closed(client: TestClient) -> None:
    body = {"text": "a b", "causal": False, "mask": [[1, 0], [1, 1]]}
    reply = client.post("/api/v1/attention", json=body).json()
    assert reply["layers"][0]["masked_scores"][0][0][0][1] is None
    cell = f"/api/v1/traces/{reply['trace']}/cells/weights?row=0&col=1"
    assert "mask that was given" in client.get(cell).json()["masked_because"]
    refused = client.post("/api/v1/attention", json={**body, "mask": [[1, 0]]})
    assert (refused.status_code, refused.json()["code"]) == (422, "shape_mismatch")
    assert "query" in refused.json()["errors"][0]["message"]


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
