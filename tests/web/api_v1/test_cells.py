"""Why a cell is closed, where masks are patterns."""

from __future__ import annotations

from fastapi.testclient import TestClient


def test_a_cell_that_no_pattern_opens_says_what_each_of_them_opens(client: TestClient) -> None:
    patterns = {"window": 2, "global_tokens": 1, "stride": 3, "block_size": 2}
    body = {"text": "a b c d e", "causal": False, **patterns}
    trace = client.post("/api/v1/traces", json=body).json()["trace"]
    cell = client.get(f"/api/v1/traces/{trace}/cells/masked_scores?row=1&col=3").json()
    assert cell["masked_because"].split(" Masked: ") == [
        "Masked: key 3 is outside the window of 2 around query 1.",
        "query 1 and key 3 are not among the first 1, which see all and are seen by all.",
        "query 1 and key 3 are 2 apart, which is no multiple of the stride 3.",
        "query 1 and key 3 are in different blocks of 2 tokens.",
    ]
    opened = client.get(f"/api/v1/traces/{trace}/cells/masked_scores?row=1&col=4").json()
    assert opened["masked_because"] is None
