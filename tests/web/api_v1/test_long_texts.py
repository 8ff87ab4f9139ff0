"""Texts of which no whole map is made."""

from __future__ import annotations

import io
import json
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.attention.overview import Tick
from attnscope.trace.passes import Make
from attnscope.trace.plan import DENSE_TOKENS
from tests.web.client import ATTENTION, TRACES, problem_of

WORDS = 5000
TEXT = " ".join(f"w{i * i % 971}" for i in range(WORDS))
BODY = {"text": TEXT, "model": {"source": "seeded", "seed": 1, "d_model": 16, "num_heads": 1}}


@pytest.fixture
def trace(client: TestClient) -> str:
    made = client.post(TRACES, json=BODY)
    assert made.status_code == 201
    reply = made.json()
    assert (reply["tokens"], reply["offsets"]) == (None, None)
    assert (reply["lengths"], reply["shape"]["n"], reply["dtype"]) == ([WORDS], WORDS, "float32")
    assert set(reply["checks"].values()) == {None}
    path = made.headers["Location"]
    assert isinstance(path, str)
    return path


def test_its_tokens_come_in_pieces(client: TestClient, trace: str) -> None:
    some = client.get(f"{trace}/tokens?rows=4998:9999").json()
    assert some["tokens"] == TEXT.split()[4998:]
    assert (some["rows"], some["total"]) == ([4998, WORDS], WORDS)
    start, end = some["offsets"][0]
    assert TEXT[start:end] == some["tokens"][0]
    assert len(client.get(f"{trace}/tokens").json()["tokens"]) == WORDS
    problem_of(client.get(f"{trace}/tokens?context=true"), 422, "invalid_request")
    problem_of(client.get(f"{trace}/tokens?rows=7:7"), 422, "invalid_request")
    problem_of(client.get(f"{trace}/tokens?batch=1"), 422, "invalid_request")


def test_short_texts_have_theirs_too(client: TestClient) -> None:
    path = client.post(TRACES, json={"text": "a b", "context": "c d e"}).headers["Location"]
    assert client.get(f"{path}/tokens").json()["tokens"] == ["a", "b"]
    assert client.get(f"{path}/tokens?context=true&rows=1:").json()["tokens"] == ["d", "e"]


def test_its_map_is_there_in_blocks_and_tiles(client: TestClient, trace: str) -> None:
    about = client.get(f"{trace}/map/weights").json()
    assert (about["n"], about["levels"], about["max"]) == (WORDS, 6, 1.0)
    rows = client.get(f"{trace}/stages/weights?rows=4000:4002&format=safetensors").content
    weights = load(rows)["layers.0.weights"]
    assert weights.shape == (2, WORDS)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert not weights[0, 4001:].any()
    tile = load(client.get(f"{trace}/tiles/weights/0/0/5/15/3?format=safetensors").content)
    block = client.get(f"{trace}/stages/weights?rows=3840:4096&cols=768:1024").json()["values"]
    np.testing.assert_allclose(tile["layers.0.weights"], np.array(block, float), rtol=1e-5)
    bits = client.get(f"{trace}/tiles/weights/0/0/0/0/0?encoding=u8")
    assert bits.headers["X-Shape"] == "157,157"
    assert client.get(f"{trace}/pictures/weights?encoding=u8&size=100").status_code == 200
    assert client.get(f"{trace}/thumbnails/weights").headers["X-Shape"] == "1,1,40,40"
    problem_of(client.get(f"{trace}/tiles/weights/0/0/6/0/0"), 404, "not_found")
    problem_of(client.get(f"{trace}/tiles/weights/0/0/5/20/0"), 404, "not_found")


def test_a_hundred_tiles_at_once_are_all_answered(client: TestClient, trace: str) -> None:
    def tile(i: int) -> int:
        address = f"{trace}/tiles/weights/0/0/5/{i // 10}/{i % 10}?encoding=u8"
        return client.get(address).status_code

    with ThreadPoolExecutor(100) as pool:
        assert set(pool.map(tile, range(100))) == {200}


def test_the_progress_of_a_pass_is_sent(client: TestClient, trace: str) -> None:
    reply = client.get(f"{trace}/map/scores", headers={"Accept": "text/event-stream"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    last = reply.text.strip().split("\n\n")[-1]
    assert last.startswith("event: reply\n")
    assert json.loads(last.partition("data: ")[2]) == client.get(f"{trace}/map/scores").json()


def test_heads_and_cells_are_answered(client: TestClient, trace: str) -> None:
    (head,) = client.get(f"{trace}/heads").json()["heads"]
    weights = load(client.get(f"{trace}/stages/weights?rows=0:2000&format=safetensors").content)[
        "layers.0.weights"
    ]
    assert 0 < head["entropy"] < np.log(WORDS)
    assert head["own"] > 0
    assert 0 < head["induction"] < head["duplicate_token"] + 1
    cell = client.get(f"{trace}/cells/weights?row=1999&col=3").json()
    assert cell["value"] == pytest.approx(float(weights[1999, 3]), rel=1e-4)
    assert client.get(f"{trace}/cells/output?row=1999&col=3").status_code == 200
    problem_of(client.get(f"{trace}/cells/head_outputs?row=1999&col=3"), 413, "too_large")
    closed = client.get(f"{trace}/cells/masked_scores?row=3&col=4000").json()
    assert closed["masked_because"]


def test_what_takes_whole_maps_says_so(
    client: TestClient, trace: str, subtests: pytest.Subtests
) -> None:
    cases = ["rollout", "precision", "linear", "decode", "export?format=npz", "jacobian?row=1",
             "cells/scores/parts?row=1&col=1", "sharing", "scaling", "spectrum", "initialisation",
             "ablations", "contributions", "stages/weights?format=safetensors"]  # fmt: skip
    for path in cases:
        with subtests.test(path):
            problem_of(client.get(f"{trace}/{path}"), 413, "too_large")


def test_every_stage_at_once_is_refused_and_linear_ones_are_sent(client: TestClient) -> None:
    assert "/tiles/" in problem_of(client.post(ATTENTION, json=BODY), 413, "too_large")["detail"]
    some = {**BODY, "stages": ["q"]}
    reply = client.post(ATTENTION, json=some, headers={"Accept": "application/x-safetensors"})
    assert load(reply.content)["layers.0.q"].shape == (1, 1, WORDS, 16)


def test_linear_stages_of_long_texts_are_exported(client: TestClient, trace: str) -> None:
    reply = client.get(f"{trace}/export?format=npz&stages=q,x")
    with np.load(io.BytesIO(reply.content)) as arrays:
        assert {name: one.shape for name, one in arrays.items()} == {
            "layers.0.q": (1, 1, WORDS, 16), "layers.0.x": (1, WORDS, 16),
        }  # fmt: skip
    rows = client.get(f"{trace}/export?format=csv&stages=q").text.splitlines()
    assert len(rows) == 1 + WORDS * 16
    for format in ("html", "py"):
        problem_of(client.get(f"{trace}/export?format={format}&stages=q"), 413, "too_large")


def test_maps_of_chosen_heads_are_sent_of_texts_whose_stages_do_not_fit(
    client: TestClient,
) -> None:
    body = {
        "text": [" ".join(TEXT.split()[:1100]), "a short one"],
        "model": {"source": "seeded", "d_model": 32, "num_heads": 8},
    }
    path = client.post(TRACES, json=body).headers["Location"]
    asked = {**body, "stages": ["weights", "masked_scores"], "layers": [0], "heads": [5]}
    reply = client.post(ATTENTION, json=asked, headers={"Accept": "application/x-safetensors"})
    arrays = load(reply.content)
    one = f"{path}/stages/weights?head=5&rows=1000:1010"
    values = client.get(one).json()["values"]
    np.testing.assert_array_equal(arrays["layers.0.weights"][0, 0, 1000:1010], values)
    assert arrays["layers.0.masked_scores"].shape == (2, 1, 1100, 1100)
    assert np.isneginf(arrays["layers.0.masked_scores"][0, 0, 3, 4:]).all()
    none = {**asked, "stages": ["weights"], "heads": []}
    reply = client.post(ATTENTION, json=none, headers={"Accept": "application/x-safetensors"})
    assert load(reply.content)["layers.0.weights"].shape == (2, 0, 1100, 1100)
    exported = client.get(f"{path}/export?format=safetensors&stages=weights&head=5")
    np.testing.assert_array_equal(load(exported.content)["layers.0.weights"],
                                  arrays["layers.0.weights"])  # fmt: skip
    refused = problem_of(client.get(f"{path}/export?format=npz&stages=weights"), 413, "too_large")
    assert "chosen heads" in refused["detail"]


def test_longer_than_the_limit_is_refused(client: TestClient) -> None:
    problem_of(client.post(TRACES, json={"text": "a " * 131_073}), 413, "too_many_tokens")
    problem_of(client.post(TRACES, json={"text": "a" * 10_000_000}), 413, "too_many_tokens")
    many = {"text": "a " * 100_000, "model": {"source": "seeded", "num_heads": 8}}
    problem_of(client.post(TRACES, json=many), 413, "too_large")
    half = {**BODY, "dtype": "float16"}
    assert (
        str(DENSE_TOKENS)
        in problem_of(client.post(TRACES, json=half), 422, "invalid_request")["detail"]
    )


def test_a_question_whose_trace_would_not_fit_comes_in_blocks(client: TestClient) -> None:
    body = {
        "text": " ".join(TEXT.split()[:3000]),
        "model": {"source": "seeded", "num_heads": 4},
        "dtype": "float64",
    }
    made = client.post(TRACES, json=body)
    assert made.status_code == 201
    assert made.json()["tokens"] is not None
    path = made.headers["Location"]
    assert client.get(f"{path}/tiles/weights/0/3/0/0/0").status_code == 200
    problem_of(client.post(ATTENTION, json=body), 413, "too_large")
    refused = problem_of(client.get(f"{path}/rollout"), 413, "too_large")["detail"]
    assert f"at most {made.json()['whole_tokens']} tokens" in refused


def test_who_waits_for_a_pass_takes_no_slot(
    client: TestClient, trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More at once than there are slots and places in the queue; the pass begins when all wait."""

    def ask(path: str) -> int:
        return client.get(f"{trace}/{path}").status_code

    client.app.state.admission.queues["large"].free = 2  # type: ignore[attr-defined]
    paths = ["map/weights", *["pictures/weights?encoding=u8", "map/weights"] * 10]
    passes = client.app.state.engine.passes  # type: ignore[attr-defined]
    made = passes._made

    def held(name: str, make: Make, tick: Tick) -> object:
        deadline = time.monotonic() + 30
        while passes._flights[name].waiting < len(paths) - 1 and time.monotonic() < deadline:
            time.sleep(0.001)
        return made(name, make, tick)

    monkeypatch.setattr(passes, "_made", held)
    with ThreadPoolExecutor(len(paths)) as pool:
        first = pool.submit(ask, paths[0])
        while not passes._flights and not first.done():
            time.sleep(0.001)
        others = list(pool.map(ask, paths[1:]))
    assert first.result() == 200
    assert set(others) == {200}


def test_weights_of_rows_that_did_not_overflow_are_seen_beside_others(client: TestClient) -> None:
    """Under this scale most rows of weights are no numbers; some have one key that takes all."""
    path = client.post(TRACES, json={**BODY, "scale": -1e38}).headers["Location"]
    extent = client.get(f"{path}/map/weights").json()
    assert (extent["min"], extent["max"]) == (0, 1)
    behaviour = client.get(f"{path}/heads").json()["heads"][0]
    assert behaviour["entropy"] is None
    assert behaviour["duplicate_token"] is behaviour["induction"] is None


def test_numbers_beyond_float32_are_told_apart_in_bytes(client: TestClient) -> None:
    body = {"text": "a b c d e f", "scale": 1e306, "dtype": "float64"}
    path = client.post(TRACES, json=body).headers["Location"]
    tile = f"{path}/tiles/scaled_scores/0/0/0/0/0"
    bits = client.get(tile, params={"encoding": "u8"})
    low, high = map(float, bits.headers["X-Range"].split(","))
    values = np.array(client.get(f"{path}/stages/scaled_scores").json()["values"])
    steps = np.rint(254 * ((values - low) / (high - low))).ravel()
    np.testing.assert_array_equal(np.frombuffer(bits.content, np.uint8), steps)
    reply = np.array(client.get(tile).json()["values"], float)  # float32, and none is a mask
    assert (np.sign(reply) == np.sign(values)).all()
    assert np.isfinite(reply).all()
