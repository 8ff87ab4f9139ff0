"""GET /traces/{id}/spectrum and GET /models/{id}/spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.web.client import MODELS, TRACES, matrices, refused, upload
from tests.web.conftest import MakeClient

Ask = dict[str, Any]


def traced(client: TestClient, **question: Any) -> str:
    trace: str = client.post(TRACES, json={"text": "one two three", **question}).json()["trace"]
    return trace


def spectrum(client: TestClient, url: str, **query: Any) -> Any:
    response = client.get(f"{url}/spectrum", params=query)
    assert response.status_code == 200, response.text[:400]
    return response.json()


def test_an_upload_has_the_singular_values_of_its_tensors(client: TestClient) -> None:
    arrays = matrices(6, ("w_q", "w_k", "w_v", "w_o"))
    model = upload(client, arrays, num_heads="2")["id"]
    reply = spectrum(client, f"{MODELS}/{model}")
    assert (reply["layer"], [one["head"] for one in reply["heads"]]) == (0, [0, 1])
    for name, array in arrays.items():
        found = reply["tensors"][name]
        plain = np.linalg.svd(array.astype(float), compute_uv=False)
        assert found["singular_values"] == pytest.approx(plain)
        assert found["rank"] == 6
        assert found["condition_number"] == pytest.approx(plain[0] / plain[-1])
        assert found["determinant"] == pytest.approx(np.linalg.det(array.astype(float)))
    product = arrays["w_q"][:, 3:].astype(float) @ arrays["w_k"][:, 3:].T.astype(float)
    (one,) = spectrum(client, f"{MODELS}/{model}", head=1, tensors="false")["heads"]
    found = one["matrices"]["w_qk"]
    assert found["rank"] == 3
    assert found["singular_values"][:3] == pytest.approx(
        np.linalg.svd(product, compute_uv=False)[:3]
    )
    assert (found["determinant"], found["condition_number"]) == (0, None)


def test_an_explicit_model_has_the_same_through_its_trace(client: TestClient) -> None:
    arrays = matrices(4)
    model = {"source": "explicit", **{n: a.astype(float).tolist() for n, a in arrays.items()}}
    through_trace = spectrum(client, f"{TRACES}/{traced(client, model=model)}")
    uploaded = spectrum(client, f"{MODELS}/{upload(client, arrays)['id']}")
    for name, found in uploaded["tensors"].items():
        values = through_trace["tensors"][name]["singular_values"]
        assert values == pytest.approx(found["singular_values"])
    assert "w_o" not in through_trace["tensors"]
    assert "w_vo" not in through_trace["heads"][0]["matrices"]


def test_a_trace_checks_the_identities_on_its_text(client: TestClient) -> None:
    model = {"source": "seeded", "share": "qk", "bias": True}
    reply = spectrum(client, f"{TRACES}/{traced(client, model=model)}")
    assert len(reply["heads"]) == 4
    for head in reply["heads"]:
        assert head["bilinear"]["max_error"] < 1e-12
        assert head["bilinear"]["terms"]["b_q_b_k"] > 0
        assert head["asymmetry"] < 1e-12
        assert head["geometry"] is None
    assert reply["fused"]["columns"] == 3 * 64
    assert reply["fused"]["max_difference"] < 1e-12


def test_one_head_shows_where_its_directions_send_the_tokens(client: TestClient) -> None:
    reply = spectrum(client, f"{TRACES}/{traced(client)}", head=2)
    (head,) = reply["heads"]
    assert head["head"] == 2
    assert list(head["geometry"]) == ["w_q", "w_k", "w_v", "w_o", "w_qk", "w_vo"]
    for name, flat in head["geometry"].items():
        values = head["matrices"][name]["singular_values"][:2]
        assert flat["singular_values"] == pytest.approx(values)
        assert np.shape(flat["tokens_left"]) == np.shape(flat["tokens_right"]) == (3, 2)
        assert np.shape(flat["left"]) == (2, 16 if name == "w_o" else 64)


def test_what_joins_the_heads_reads_the_outputs_of_one(client: TestClient) -> None:
    trace = traced(client)
    flat = spectrum(client, f"{TRACES}/{trace}", head=2)["heads"][0]["geometry"]["w_o"]
    stage = client.get(f"{TRACES}/{trace}/stages/head_outputs", params={"head": 2})
    outputs = np.array(stage.json()["values"])
    np.testing.assert_allclose(outputs @ np.array(flat["left"]).T, flat["tokens_left"], atol=1e-12)


def test_one_head_shows_what_it_does_not_see_and_where_the_tokens_spread(
    client: TestClient,
) -> None:
    trace = traced(client)
    reply = spectrum(client, f"{TRACES}/{trace}", head=1)
    x = np.array(client.get(f"{TRACES}/{trace}/stages/x").json()["values"])
    for name, flat in reply["heads"][0]["geometry"].items():
        lost = flat["unseen"]
        if name in ("w_o", "w_qk", "w_vo"):
            assert lost is None
            continue
        assert (lost["dimensions"], len(lost["shares"])) == (64 - 16, 3)
        np.testing.assert_allclose(x @ np.array(lost["directions"]).T, lost["tokens"], atol=1e-12)
        np.testing.assert_allclose(np.array(lost["directions"]) @ np.array(flat["left"]).T, 0,
                                   atol=1e-12)  # fmt: skip
    spread = reply["principal"]
    assert sum(spread["shares"]) == pytest.approx(1)  # three tokens lie in one plane
    along = (x - x.mean(axis=0)) @ np.array(spread["directions"]).T
    np.testing.assert_allclose(along, spread["tokens"], atol=1e-12)
    assert spectrum(client, f"{TRACES}/{trace}")["principal"] is None


def test_whole_tensors_can_be_left_out(client: TestClient) -> None:
    assert spectrum(client, f"{TRACES}/{traced(client)}", tensors="false")["tensors"] is None


def test_a_place_that_is_not_there_is_refused(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    url = f"{TRACES}/{traced(client)}/spectrum"
    for query in ({"layer": 1}, {"head": 4}, {"batch": 1}):
        with subtests.test(query=query):
            request = {"method": "GET", "url": url, "params": query}
            body = refused(client, request, 422, "invalid_request")
            assert body["errors"][0]["at"] == next(iter(query))


def test_a_layer_that_an_upload_does_not_have_is_refused(client: TestClient) -> None:
    url = f"{MODELS}/{upload(client, matrices())['id']}/spectrum"
    refused(client, {"method": "GET", "url": url, "params": {"layer": 1}}, 422, "invalid_request")


def test_an_unknown_upload_is_not_found(client: TestClient) -> None:
    refused(client, {"method": "GET", "url": f"{MODELS}/nothing/spectrum"}, 404, "unknown_model")


def test_numbers_beyond_float64_are_refused(client: TestClient) -> None:
    huge = [[1e300]]
    model = {"source": "explicit", "w_q": huge, "w_k": huge, "w_v": huge}
    url = f"{TRACES}/{traced(client, model=model)}/spectrum"
    refused(client, {"method": "GET", "url": url}, 422, "non_finite")


def test_what_would_take_long_is_refused_and_one_head_is_not(client: TestClient) -> None:
    model = {"source": "seeded", "d_model": 2200, "num_heads": 110, "init": "identity"}
    trace = traced(client, text="one", model=model, dtype="float32")
    url = f"{TRACES}/{trace}/spectrum"
    refused(client, {"method": "GET", "url": url}, 413, "too_large")
    reply = spectrum(client, f"{TRACES}/{trace}", head=0, tensors="false")
    assert reply["heads"][0]["matrices"]["w_q"]["rank"] == 20


def test_a_model_on_the_server_has_the_same_through_its_trace(client: TestClient) -> None:
    url = f"{MODELS}/installed/echo"
    model = {"source": "installed", "name": "echo", "revision": "step-400"}
    trace = f"{TRACES}/{traced(client, model=model)}"
    for query in ({"layer": 1}, {"layer": 0, "head": 3, "tensors": "false"}):
        own = spectrum(client, url, revision="step-400", **query)
        other = spectrum(client, trace, **query)
        assert own["layer"] == query["layer"]
        assert own["tensors"] == other["tensors"]
        assert len(own["heads"]) == len(other["heads"])
        for one, same in zip(own["heads"], other["heads"], strict=True):
            assert one == {name: same[name] for name in one}
    last = spectrum(client, url, layer=1)
    assert last != spectrum(client, url, layer=1, revision="step-400")
    assert last == spectrum(client, url, layer=1, revision="step-3200")


def test_a_wide_model_is_asked_head_by_head(client: TestClient, monkeypatch: Any) -> None:
    url = f"{MODELS}/installed/echo/spectrum"
    whole = 3 * 128**3
    monkeypatch.setattr("attnscope.analysis.spectrum.MOST_PRODUCTS", whole)
    body = refused(client, {"method": "GET", "url": url}, 413, "too_large")
    assert "?head=0&tensors=false" in body["detail"]
    assert client.get(f"{url}?head=0&tensors=false").status_code == 200


def test_one_head_takes_the_memory_of_one_head(make_client: MakeClient) -> None:
    """A model whose whole layer finds no room tells each of its heads."""
    client, url = make_client(memory_mb=2), f"{MODELS}/installed/echo/spectrum"
    refused(client, {"method": "GET", "url": url}, 413, "too_large")
    assert client.get(f"{url}?head=0&tensors=false").status_code == 200


def test_of_a_model_on_the_server_a_place_that_is_not_there_is_refused(client: TestClient) -> None:
    url = f"{MODELS}/installed/echo/spectrum"
    for query, at in {"layer=2": "layer", "head=4": "head", "layer=-1": "layer"}.items():
        body = refused(client, {"method": "GET", "url": f"{url}?{query}"}, 422, "invalid_request")
        assert [one["at"] for one in body["errors"]] == [at]
    absent = {"method": "GET", "url": url.replace("echo", "nobody")}
    refused(client, absent, 404, "unknown_model")
    refused(client, {"method": "GET", "url": f"{url}?revision=x"}, 404, "unknown_revision")


def test_a_layer_that_attends_to_a_context_is_bilinear_in_a_rotary_decoder(
    client: TestClient,
) -> None:
    model = {"source": "seeded", "block": "decoder", "positions": "rotary"}
    reply = client.post(TRACES, json={"text": "a b", "context": "c d e", "model": model})
    at = f"{TRACES}/{reply.json()['trace']}/spectrum"
    errors = [client.get(at, params={"layer": layer}).json()["heads"][0]["bilinear"]["max_error"]
              for layer in (0, 1)]  # fmt: skip
    assert errors[0] is None
    assert errors[1] < 1e-12
