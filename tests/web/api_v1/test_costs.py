"""GET /laboratory/costs."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import refused

COSTS = "/api/v1/laboratory/costs"
LARGEST = {"n": 2**17, "d_model": 8192, "num_heads": 256, "d_k": 8192, "d_v": 8192, "hidden": 32768}


def costs(client: TestClient, **asked: Any) -> Any:
    response = client.get(COSTS, params=asked)
    assert response.status_code == 200, response.text
    return response.json()


def test_the_layer_of_the_original_transformer_is_counted(client: TestClient) -> None:
    reply = costs(client, n=100, d_model=512, num_heads=8, hidden=2048)
    assert (reply["d_k"], reply["d_v"], reply["num_kv_heads"], reply["pairs"]) == (
        64,
        64,
        8,
        10_000,
    )
    by_stage = {row["stage"]: row for row in reply["stages"]}
    assert by_stage["q"]["multiplications"] == 100 * 512 * 512
    assert by_stage["scores"]["multiplications"] == 8 * 100 * 100 * 64
    assert by_stage["scores"]["written_bytes"] == 8 * 100 * 100 * 4
    assert by_stage["hidden"]["multiplications"] == 100 * 512 * 2048
    sums = {name: sum(row[name] for row in reply["stages"]) for name in reply["total"]}
    assert sums == reply["total"]
    assert reply["crossing"] == 1024
    lengths = {row["n"]: row for row in reply["lengths"]}
    assert list(lengths) == sorted([100, *(2**power for power in range(18))])
    assert lengths[100]["maps"] + lengths[100]["projections"] == reply["total"][
        "multiplications"
    ] - (by_stage["hidden"]["multiplications"] + by_stage["mlp_output"]["multiplications"])


def test_a_cache_and_a_fused_product_save_what_they_should(client: TestClient) -> None:
    reply = costs(client, n=1000, d_model=64, num_heads=4, num_kv_heads=1, dtype="float16")
    made = reply["generation"]
    assert made["with_cache"]["multiplications"] < made["without_cache"]["multiplications"] / 100
    assert made["cache_bytes"] == 1000 * (16 + 16) * 2
    three, fused = reply["projections"]["three"], reply["projections"]["fused"]
    assert three["multiplications"] == fused["multiplications"]
    assert three["read_bytes"] - fused["read_bytes"] == 2 * 1000 * 64 * 2


def test_masks_leave_fewer_pairs(client: TestClient) -> None:
    pairs = [costs(client, n=64, **mask)["pairs"] for mask in (
        {}, {"causal": True}, {"window": 4}, {"window": 4, "causal": True}, {"window": 10**5},
        {"global_tokens": 2}, {"stride": 8}, {"block_size": 16}, {"block_size": 16, "causal": True},
        {"window": 1, "global_tokens": 2},
    )]  # fmt: skip
    assert pairs[:5] == [4096, 2080, 64 * 7 - 12, 64 * 4 - 6, 4096]
    assert pairs[5:] == [4096 - 62**2, 64 * 8, 4 * 16**2, 4 * 136, 4096 - 62**2 + 62]


def test_the_largest_sizes_are_counted_too(client: TestClient) -> None:
    reply = costs(client, **LARGEST)
    assert reply["generation"]["without_cache"]["multiplications"] > 2.0**64
    assert all(row["multiplications"] > 0 for row in reply["layers"])


def test_sizes_that_do_not_fit_are_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        ({"n": 0}, "invalid_request", "n"),
        ({"stride": 0}, "invalid_request", "stride"),
        ({"n": 2**17 + 1}, "invalid_request", "n"),
        ({"kernel": 1}, "invalid_request", "kernel"),
        ({"dtype": "int8"}, "invalid_request", "dtype"),
        ({"num_heads": 7}, "shape_mismatch", "num_heads"),
        ({"num_heads": 8, "num_kv_heads": 3}, "shape_mismatch", "num_kv_heads"),
    ]
    for asked, code, at in cases:
        with subtests.test(asked=asked):
            request = {"method": "GET", "url": COSTS, "params": asked}
            assert refused(client, request, 422, code)["errors"][0]["at"] == at
