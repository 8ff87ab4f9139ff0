"""GET /traces/{id}/linear."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.web.client import TRACES, ask, refused

SMALL = {"source": "seeded", "d_model": 16, "num_heads": 4, "num_kv_heads": 2}


def phi(a: np.ndarray) -> np.ndarray:
    return np.vectorize(lambda one: one + 1 if one > 0 else np.exp(one))(a)


def test_a_head_stands_beside_linear_attention(client: TestClient) -> None:
    whole = ask(client, text="one two three four", model=SMALL)
    reply = client.get(f"{TRACES}/{whole['trace']}/linear?head=3").json()
    layer = {name: np.array(whole["layers"][0][name])[0] for name in ("q", "k", "v", "weights")}
    products = np.tril(phi(layer["q"][3]) @ phi(layer["k"][1]).T)
    weights = products / products.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(reply["weights"], weights, rtol=1e-12, atol=1e-15)
    apart = np.abs(weights - layer["weights"][3]).max()
    assert reply["weights_difference"] == pytest.approx(apart)
    outputs = np.array(whole["layers"][0]["head_outputs"])[0, 3]
    moved = np.abs(weights @ layer["v"][1] - outputs).max()
    assert reply["output_difference"] == pytest.approx(moved)
    assert reply["sums_difference"] < 1e-12
    assert reply["costs"]["softmax"]["exponentials"] == 16
    assert reply["costs"]["linear"]["exponentials"] == 2 * 4 * 4


def test_sums_are_left_out_where_a_mask_is_more_than_causal(client: TestClient) -> None:
    def sums(**body: object) -> float | None:
        trace = ask(client, model=SMALL, **body)["trace"]
        reply: float | None = client.get(f"{TRACES}/{trace}/linear").json()["sums_difference"]
        return reply

    assert sums(text="a b c d", window=2) is None
    assert sums(text="a b c d", causal=False) is not None
    assert sums(text="a b", context="c d e") is not None
    assert sums(text=["a b", "a b c"]) is not None  # its own tokens, without the padding


def test_each_layer_of_a_decoder_has_the_keys_of_its_own_text(client: TestClient) -> None:
    body = {"text": ["a b c d e", "f"], "context": ["p q", "r s t"]}
    whole = ask(client, **body, model={**SMALL, "block": "decoder"})
    for layer, sizes in ((0, [(5, 5), (1, 1)]), (1, [(5, 2), (1, 3)])):
        for batch, (rows, cols) in enumerate(sizes):
            where = f"layer={layer}&batch={batch}"
            reply = client.get(f"{TRACES}/{whole['trace']}/linear?{where}").json()
            assert np.shape(reply["weights"]) == (rows, cols)
            own = np.array(whole["layers"][layer]["weights"])[batch, 0, :rows, :cols]
            apart = np.abs(np.array(reply["weights"]) - own).max()
            assert reply["weights_difference"] == pytest.approx(apart)
            assert reply["sums_difference"] < 1e-12


def test_a_stair_of_fewer_rows_than_keys_is_no_running_sum(client: TestClient) -> None:
    stair = np.tri(3, 4, dtype=int).tolist()
    trace = ask(client, text="a b c", context="p q r s", mask=stair, model=SMALL)["trace"]
    assert client.get(f"{TRACES}/{trace}/linear").json()["sums_difference"] is None


def test_a_head_that_is_not_there_is_refused(client: TestClient) -> None:
    trace = ask(client, text="a b", model=SMALL)["trace"]
    request = {"method": "GET", "url": f"{TRACES}/{trace}/linear", "params": {"head": 4}}
    assert refused(client, request, 422, "invalid_request")["errors"][0]["at"] == "head"
