"""GET /traces/{id}/initialisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from attnscope.weights.schemes import INITS
from tests.web.client import TRACES, ask, refused


def initialisation(client: TestClient, trace: str, **query: Any) -> Any:
    response = client.get(f"{TRACES}/{trace}/initialisation", params=query)
    assert response.status_code == 200, response.text[:400]
    return response.json()


def test_every_scheme_stands_beside_the_models_own(client: TestClient) -> None:
    model = {"source": "seeded", "init": "kaiming_normal", "seed": 5, "bias": True}
    answer = ask(client, text="one two", model=model, parameters=True)
    reply = initialisation(client, answer["trace"])
    assert reply["init"] == "kaiming_normal"
    assert [scheme["init"] for scheme in reply["schemes"]] == list(INITS)
    (own,) = [scheme for scheme in reply["schemes"] if scheme["own"]]
    assert own["tensors"] == reply["tensors"][:4]
    for tensor in reply["tensors"]:
        numbers = np.array(answer["layers"][0]["parameters"][tensor["name"]])
        assert tensor["measured"] == pytest.approx(np.mean(numbers**2))
        assert tensor["shape"] == list(numbers.shape)
    assert reply["tensors"][0]["predicted"] == pytest.approx(2 / 64)
    assert [signal["stage"] for signal in reply["signal"]] == ["x", "q", "k", "v"]
    counts = {one["name"]: one["projections"] for one in reply["counts"]}
    assert counts["one_head"] == counts["multi_head"] == 3 * 64**2


def test_of_explicit_weights_only_the_measured_is_given(client: TestClient) -> None:
    identity = [[1, 0], [0, 1]]
    model = {"source": "explicit", "w_q": identity, "w_k": identity, "w_v": identity}
    trace = ask(client, x=[[1, 2]], model=model)["trace"]
    reply = initialisation(client, trace, init="identity")
    assert reply["init"] is None
    assert [tensor["measured"] for tensor in reply["tensors"]] == [0.5, 0.5, 0.5]
    assert {tensor["predicted"] for tensor in reply["tensors"]} == {None}
    (scheme,) = reply["schemes"]
    assert scheme["tensors"][0]["measured"] == 0.5
    assert scheme["own"] is False


def test_the_counts_are_those_of_a_model_without_w_o(client: TestClient) -> None:
    model = {"source": "seeded", "num_kv_heads": 2, "output_projection": False}
    answer = ask(client, text="a", model=model, parameters=True)
    reply = initialisation(client, answer["trace"], init="identity")
    (grouped,) = [one for one in reply["counts"] if one["name"] == "grouped"]
    arrays = answer["layers"][0]["parameters"].values()
    assert grouped["total"] == sum(np.size(array) for array in arrays)


@pytest.mark.parametrize(
    "model", [{"share": "qk"}, {"share": "qkv"}, {"output_projection": False}, {"seed": 3}]
)
def test_the_scheme_that_drew_the_model_has_its_numbers(client: TestClient, model: Any) -> None:
    trace = ask(client, text="a", model={"source": "seeded", **model})["trace"]
    reply = initialisation(client, trace)
    (own,) = [scheme for scheme in reply["schemes"] if scheme["own"]]
    assert own["tensors"] == reply["tensors"]


def test_what_is_not_there_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    url = f"{TRACES}/{ask(client, text='one')['trace']}/initialisation"
    for query in ({"layer": 1}, {"batch": 1}, {"init": "small"}):
        with subtests.test(query=query):
            request = {"method": "GET", "url": url, "params": query}
            body = refused(client, request, 422, "invalid_request")
            assert body["errors"][0]["at"] == next(iter(query))


def test_schemes_of_many_numbers_are_refused_and_one_of_them_is_not(client: TestClient) -> None:
    model = {"source": "seeded", "d_model": 2000, "num_heads": 1, "init": "identity"}
    trace = ask(client, text="one", model=model, dtype="float32", stages=["q"])["trace"]
    url = f"{TRACES}/{trace}/initialisation"
    refused(client, {"method": "GET", "url": url}, 413, "too_large")
    reply = initialisation(client, trace, init="identity")
    assert reply["schemes"][0]["own"]
