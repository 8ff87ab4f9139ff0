"""What is too large is refused before anything is computed, and what was understood once is not
understood again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.web.serializers.selection import Selection
from tests.web.client import ATTENTION, TRACES, ask, posted, refused, upload
from tests.web.conftest import MakeClient

TEXT = "one two three four five six seven eight nine ten"
SUM = {"objective": {"kind": "sum"}}
GROUPED = {"source": "seeded", "num_heads": 4, "num_kv_heads": 2, "d_k": 3, "d_v": 5,
           "num_layers": 2}  # fmt: skip


def named(client: TestClient, **question: Any) -> str:
    return f"{TRACES}/{client.post(TRACES, json=question).json()['trace']}"


def computes_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = client.app.state.engine  # type: ignore[attr-defined]
    monkeypatch.setattr(engine, "trace", lambda planned: pytest.fail("computed"))


def test_a_reply_too_large_for_json_is_refused_before_it_is_computed(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    client = make_client(max_json_numbers=90)
    url = named(client, text=TEXT)
    computes_nothing(client, monkeypatch)
    for path in ("/export?format=json", "/export?format=csv", "/export?format=html",
                 "/stages/weights", "/stages/q", "/stages/w_q", "/rollout", "/decode"):  # fmt: skip
        with subtests.test(path):
            refused(client, {"method": "GET", "url": f"{url}{path}"}, 413, "too_large")


def test_so_is_what_is_posted(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    client = make_client(max_json_numbers=90)
    url = named(client, text=TEXT)
    computes_nothing(client, monkeypatch)
    bodies: list[dict[str, Any]] = [{}, {"stages": ["weights"]}, {"stages": [], "parameters": True}]
    for body in bodies:
        with subtests.test(body=body):
            refused(client, posted({"text": TEXT, **body}), 413, "too_large")
            refused(client, posted({**SUM, **body}, f"{url}/gradients"), 413, "too_large")


def test_a_block_within_the_limit_is_sent_and_a_larger_one_comes_raw(
    make_client: MakeClient,
) -> None:
    client = make_client(max_json_numbers=90)
    url = f"{named(client, text=TEXT)}/stages/weights"
    part = client.get(url, params={"rows": "0:9"})
    assert part.status_code == 200
    whole = client.get(url, params={"format": "safetensors"})
    np.testing.assert_array_equal(
        load(whole.content)["layers.0.weights"][:9], np.array(part.json()["values"])
    )


def test_every_precision_of_a_large_question_together_is_refused(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client(max_trace_mb=1)
    url = named(client, tokens=["a"] * 60)
    computes_nothing(client, monkeypatch)
    body = refused(client, {"method": "GET", "url": f"{url}/precision"}, 413, "too_large")
    assert "1 MB" in body["detail"]


def test_spectra_that_would_take_long_are_refused_before_their_trace_is_computed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = {"source": "seeded", "d_model": 2200, "num_heads": 110, "init": "identity"}
    url = named(client, text="one", model=model, dtype="float32")
    computes_nothing(client, monkeypatch)
    refused(client, {"method": "GET", "url": f"{url}/spectrum"}, 413, "too_large")


def test_a_question_that_was_understood_is_not_read_again(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    client = make_client()
    engine = client.app.state.engine  # type: ignore[attr-defined]
    monkeypatch.setattr(engine, "stored_question", lambda trace_id: pytest.fail("read"))
    for path in ("", "/question", "/stages/q", "/cells/q?row=0&col=0", "/heads", "/precision"):
        with subtests.test(path):
            url = named(client, text=TEXT, model={"source": "seeded", "seed": len(path)})
            assert client.get(f"{url}{path}").status_code == 200


def test_a_question_is_not_known_longer_than_the_upload_it_asks(make_client: MakeClient) -> None:
    client = make_client()
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(size=(4, 4)).astype(np.float32) for name in ("w_q", "w_k", "w_v")}
    model = upload(client, arrays)["id"]
    url = named(client, text="a b", model={"source": "uploaded", "id": model})
    assert client.get(url).status_code == 200
    client.delete(f"/api/v1/models/{model}")
    refused(client, {"method": "GET", "url": url}, 404, "unknown_model")


def test_what_is_counted_is_what_is_sent(client: TestClient, subtests: pytest.Subtests) -> None:
    question = {"text": ["a b c", "d"], "model": GROUPED}
    cases: list[Any] = [
        {}, {"stages": ["k", "weights"]}, {"layers": [1]}, {"heads": [3]}, {"heads": [0, 3]},
        {"heads": [1, 2], "stages": ["q", "v", "concat"]},
    ]  # fmt: skip
    for part in cases:
        with subtests.test(part=part):
            reply = client.post(
                ATTENTION, json={**question, **part}, params={"format": "safetensors"}
            )
            sent = sum(array.size for array in load(reply.content).values())
            engine = client.app.state.engine  # type: ignore[attr-defined]
            planned = engine.known(ask(client, **question)["trace"])
            selection = Selection(*(part.get(name) for name in ("stages", "layers", "heads")))
            assert selection.numbers(planned) == sent
            assert bool(selection.copied_bytes(planned)) == (part.get("heads") == [0, 3])
