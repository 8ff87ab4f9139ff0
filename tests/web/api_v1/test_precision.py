"""GET /traces/{id}/precision, and questions in half precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.trace.stages import NAMES
from tests.web.client import problem_of

SHARP = {"text": "The cat sat on the mat", "scale": 20}


def named(client: TestClient, body: dict[str, Any]) -> str:
    return f"/api/v1/traces/{client.post('/api/v1/traces', json=body).json()['trace']}/precision"


def test_every_precision_is_compared_at_every_stage(client: TestClient) -> None:
    reply = client.get(f"{named(client, SHARP)}?head=2&row=5").json()
    assert (reply["head"], reply["row"]) == (2, 5)
    dtypes = {one["dtype"]: one for one in reply["dtypes"]}
    assert list(dtypes) == ["float64", "float32", "float16", "bfloat16"]
    for one in dtypes.values():
        assert [stage["stage"] for stage in one["stages"]] == list(NAMES)
        assert one["softmax"]["stable"]["nan_rows"] == 0
        assert sum(one["softmax"]["stable"]["weights"]) == pytest.approx(1, abs=0.02)
    assert all(stage["largest"] == 0 for stage in dtypes["float64"]["stages"])
    assert dtypes["float16"]["softmax"]["naive"]["overflowed"] > 0
    assert dtypes["float16"]["softmax"]["naive"]["largest_error"] is None
    assert max(dtypes["float16"]["softmax"]["stable"]["exponentials"]) == 1


def test_an_infinite_exponential_is_null_and_so_is_its_weight(client: TestClient) -> None:
    body = {"x": [[1.0], [0.0]], "scale": 800, "causal": False}
    one = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}
    reply = client.get(f"{named(client, {**body, 'model': one})}?row=0").json()
    naive = reply["dtypes"][0]["softmax"]["naive"]
    assert (naive["exponentials"], naive["weights"]) == ([None, 1.0], [None, 0.0])


def test_a_question_of_any_precision_is_compared_with_float64(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        with subtests.test(dtype):
            one = client.get(named(client, {"text": "a b", "dtype": dtype})).json()
            other = client.get(named(client, {"text": "a b"})).json()
            assert one["dtypes"] == other["dtypes"]
            assert one["dtypes"][0]["softmax"]["naive"]["weights"] is None
            assert one["dtypes"][0]["softmax"]["naive"]["exponentials"] is None


def test_a_place_that_is_not_there_is_refused(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for query in ("layer=1", "head=4", "batch=1", "row=6"):
        with subtests.test(query):
            problem = problem_of(
                client.get(f"{named(client, SHARP)}?{query}"), 422, "invalid_request"
            )
            assert problem["errors"][0]["at"] == query.partition("=")[0]


@pytest.mark.parametrize(("dtype", "steps"), [("float16", 2**10), ("bfloat16", 2**7)])
def test_a_reply_in_half_precision_holds_numbers_of_its_grid(
    client: TestClient, dtype: str, steps: int
) -> None:
    reply = client.post("/api/v1/attention", json={"text": "a b", "dtype": dtype}).json()
    assert reply["dtype"] == dtype
    q = np.array(reply["layers"][0]["q"], np.float32)
    mantissa = np.frexp(q)[0] * 2 * steps
    np.testing.assert_array_equal(mantissa, np.round(mantissa))
    assert 0 < reply["checks"]["max_reference_error"] < 0.2
