"""POST /traces/{id}/gradients and GET /traces/{id}/jacobian."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.trace.stages import NAMES
from tests.web.client import SAFETENSORS, TRACES, ask, posted, raw, refused
from tests.web.conftest import MakeClient

QUESTION: dict[str, Any] = {
    "text": "one two three",
    "model": {"source": "seeded", "d_model": 4, "num_heads": 2, "num_kv_heads": 1, "bias": True},
    "parameters": True,
}
CELL = {"kind": "cell", "row": 2, "col": 0}


def url(client: TestClient, question: dict[str, Any] = QUESTION) -> str:
    return f"{TRACES}/{ask(client, **question)['trace']}/gradients"


def test_every_stage_and_parameter_has_its_derivative(client: TestClient) -> None:
    trace = ask(client, **QUESTION)
    reply = client.post(url(client), json={"objective": CELL}).json()
    assert reply["trace"] == trace["trace"]
    assert reply["objective"] == CELL
    assert reply["value"] == trace["layers"][0]["output"][0][2][0]
    (layer,) = reply["layers"]
    assert list(layer) == [*NAMES, "parameters"]
    for name, values in trace["layers"][0].items():
        if name != "parameters":
            assert np.shape(layer[name]) == np.shape(values), name
    parameters = trace["layers"][0]["parameters"]
    assert {n: np.shape(a) for n, a in layer["parameters"].items()} == {
        n: np.shape(a) for n, a in parameters.items()
    }


def test_a_derivative_says_what_a_small_change_does(client: TestClient) -> None:
    eye = [[1.0, 0.0], [0.0, 1.0]]
    model = {"source": "explicit", "w_q": eye, "w_k": eye, "w_v": eye}
    question: dict[str, Any] = {"x": [[0.3, -0.2], [1.0, 0.5]], "model": model}
    g = client.post(url(client, question), json={"objective": {**CELL, "row": 1}}).json()
    derivative = g["layers"][0]["parameters"]["w_q"][1][0]

    def output(step: float) -> float:
        w_q = [[1.0, 0.0], [step, 1.0]]
        reply = ask(client, **{**question, "model": {**model, "w_q": w_q}})
        return float(reply["layers"][0]["output"][0][1][0])

    assert derivative == pytest.approx((output(1e-5) - output(-1e-5)) / 2e-5, abs=1e-9)
    assert abs(derivative) > 1e-3


def test_a_closed_cell_has_the_derivative_0(client: TestClient) -> None:
    (layer,) = client.post(url(client), json={"objective": CELL}).json()["layers"]
    for stage in ("scores", "scaled_scores", "masked_scores"):
        assert layer[stage][0][0][0][1:] == [0, 0]
    np.testing.assert_allclose(np.sum(layer["masked_scores"], axis=-1), 0, atol=1e-16)


def test_safetensors_hold_the_same_numbers(client: TestClient) -> None:
    reply = client.post(url(client), json={"objective": CELL}).json()
    response = client.post(url(client), json={"objective": CELL}, headers={"Accept": SAFETENSORS})
    assert response.headers["content-type"] == SAFETENSORS
    arrays = load(response.content)
    size = int.from_bytes(response.content[:8], "little")
    metadata = json.loads(json.loads(response.content[8 : 8 + size])["__metadata__"]["attnscope"])
    assert metadata == {name: reply[name] for name in ("trace", "objective", "value", "mathml")}
    (layer,) = reply["layers"]
    expected = {**layer, **layer["parameters"]}
    del expected["parameters"]
    assert arrays.keys() == {f"layers.0.{name}" for name in expected}
    for name, values in expected.items():
        np.testing.assert_array_equal(arrays[f"layers.0.{name}"], values)


def test_every_derivative_has_its_formula(client: TestClient) -> None:
    reply = client.post(url(client), json={"objective": CELL}).json()
    (layer,) = reply["layers"]
    assert reply["mathml"].keys() == {*NAMES, *layer["parameters"]}
    assert all(formula.startswith("<math") for formula in reply["mathml"].values())


def test_what_is_sent_can_be_chosen(client: TestClient) -> None:
    model = {**QUESTION["model"], "num_layers": 2}
    body: dict[str, Any] = {
        "objective": CELL,
        "stages": ["weights", "k"],
        "layers": [1],
        "heads": [1],
    }
    reply = client.post(url(client, {**QUESTION, "model": model}), json=body).json()
    (layer,) = reply["layers"]
    assert list(layer) == ["k", "weights", "parameters"]
    assert np.shape(layer["weights"]) == (1, 1, 3, 3)
    body = {"objective": CELL, "stages": [], "parameters": False}
    assert client.post(url(client), json=body).json()["layers"] == [{}]


def test_a_context_has_a_derivative(client: TestClient) -> None:
    question = {**QUESTION, "context": "four five"}
    reply = client.post(url(client, question), json={"objective": CELL}).json()
    assert np.shape(reply["context"]) == (1, 2, 4)
    assert np.any(reply["context"])
    assert "context" not in client.post(url(client), json={"objective": CELL}).json()


OUT, SHAPE = (422, "invalid_request"), (422, "shape_mismatch")


def test_a_wrong_objective_is_refused_with_its_place(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = [
        ({"kind": "cell", "row": 3, "col": 0}, OUT, "objective.row"),
        ({"kind": "cell", "row": 0, "col": 4}, OUT, "objective.col"),
        ({"kind": "cell", "row": 0, "col": -1}, OUT, "objective.col"),
        ({"kind": "cell", "row": "0", "col": 0}, OUT, "objective.row"),
        ({"kind": "cell", "row": 0}, OUT, "objective.col"),
        ({"kind": "row_norm", "row": 0, "batch": 1}, OUT, "objective.batch"),
        ({"kind": "sum", "row": 0}, OUT, "objective.row"),
        ({"kind": "sum", "at": "q"}, OUT, "objective.at"),
        ({"kind": "mean"}, OUT, "objective"),
        ({}, OUT, "objective"),
        (None, OUT, "objective"),
        ({"kind": "custom", "cotangent": 1}, OUT, "objective.cotangent"),
        ({"kind": "custom", "cotangent": [["1"]]}, OUT, "objective.cotangent"),
        ({"kind": "custom", "cotangent": [[1, 2], [3]]}, SHAPE, "objective.cotangent"),
        ({"kind": "custom", "cotangent": [1, 2]}, SHAPE, "objective.cotangent"),
        ({"kind": "custom", "cotangent": [[1, 2]]}, SHAPE, "objective.cotangent"),
    ]
    for objective, problem, at in cases:
        with subtests.test(objective=objective):
            body = refused(client, posted({"objective": objective}, url(client)), *problem)
            assert body["errors"][0]["at"] == at


def test_numbers_that_are_none_are_refused(client: TestClient) -> None:
    content = b'{"objective": {"kind": "custom", "cotangent": [[NaN]]}}'
    problem = refused(client, raw(content, url=url(client)), 422, "non_finite")
    assert problem["errors"][0]["at"] == "objective.cotangent"


def test_wrong_choices_are_refused(client: TestClient) -> None:
    def choosing(**chosen: Any) -> dict[str, Any]:
        return posted({"objective": CELL, **chosen}, url(client))

    refused(client, choosing(stages=["z"]), 404, "unknown_stage")
    refused(client, choosing(layers=[1]), 422, "invalid_request")
    refused(client, choosing(heads=[2]), 422, "invalid_request")
    refused(client, choosing(row=2), 422, "invalid_request")
    refused(client, posted({"objective": CELL}, f"{TRACES}/none/gradients"), 404, "unknown_trace")


def test_too_many_numbers_are_refused(make_client: MakeClient) -> None:
    small = make_client(max_json_numbers=600)
    body = {"objective": CELL, "stages": ["weights"], "parameters": False}
    question = {"text": "a b c d e f g h", "model": {"source": "seeded", "d_model": 8}}
    trace = small.post(TRACES, json=question).json()["trace"]
    url = f"{TRACES}/{trace}/gradients"
    assert small.post(url, json=body).status_code == 200
    refused(small, posted({"objective": CELL}, url), 413, "too_large")
    raw = small.post(f"{url}?format=safetensors", json={"objective": CELL})
    assert raw.status_code == 200


def test_what_would_not_fit_beside_its_trace_is_refused(make_client: MakeClient) -> None:
    client = make_client(max_trace_mb=1)
    trace = client.post(TRACES, json={"text": "a " * 100, "dtype": "float32"}).json()["trace"]
    body = posted({"objective": {"kind": "sum"}}, f"{TRACES}/{trace}/gradients")
    assert "1 MB" in refused(client, body, 413, "too_large")["detail"]


def test_the_trace_says_how_many_tokens_would_fit(make_client: MakeClient) -> None:
    client = make_client(max_trace_mb=1)

    def named(tokens: int) -> dict[str, Any]:
        question = {"text": "a " * tokens, "dtype": "float32"}
        reply: dict[str, Any] = client.post(TRACES, json=question).json()
        return reply

    shorter = named(named(100)["gradient_tokens"])
    assert "gradient_tokens" not in shorter
    body = {"objective": {"kind": "sum"}, "stages": ["weights"], "parameters": False}
    assert client.post(f"{TRACES}/{shorter['trace']}/gradients", json=body).status_code == 200


def jacobian(client: TestClient, question: dict[str, Any], **place: int) -> Any:
    trace = client.post(TRACES, json=question).json()["trace"]
    return client.get(f"{TRACES}/{trace}/jacobian", params=place)


def test_the_jacobian_of_a_row_is_that_of_its_weights(client: TestClient) -> None:
    reply = jacobian(client, QUESTION | {"parameters": False}, row=1, head=1).json()
    weights = ask(client, **QUESTION)["layers"][0]["weights"][0][1][1]
    assert reply["weights"] == weights
    expected = np.diag(weights) - np.outer(weights, weights)
    np.testing.assert_allclose(reply["jacobian"], expected, atol=1e-16)
    np.testing.assert_allclose(np.sum(reply["jacobian"], axis=0), 0, atol=1e-16)
    assert reply["jacobian"][2] == [0, 0, 0], "the third key is masked"
    assert reply["norm"] == pytest.approx(np.sqrt((expected**2).sum()))


def test_a_row_that_is_not_there_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for name in ("layer", "head", "batch", "row"):
        with subtests.test(name):
            place = {"row": 0, name: 3}
            reply = jacobian(
                client, {"text": "a b c", "model": {"source": "seeded", "num_heads": 2}}, **place
            )
            assert (reply.status_code, reply.json()["errors"][0]["at"]) == (422, name)


def test_a_jacobian_of_too_many_keys_is_refused(client: TestClient) -> None:
    model = {"source": "seeded", "d_model": 2, "num_heads": 1}
    question = {"text": "a " * 513, "model": model, "dtype": "float32"}
    reply = jacobian(client, question, row=0)
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    question["text"] = "a " * 512
    assert len(jacobian(client, question, row=511).json()["jacobian"]) == 512
