"""POST /attention: the reply, field for field, and the options, one for one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors import safe_open
from safetensors.numpy import load

from attnscope.trace.stages import NAMES, STAGES
from tests.web.client import (
    ATTENTION,
    SAFETENSORS,
    array,
    ask,
    matrices,
    serving_app,
    upload,
)

TEXT = "The cat sat on the mat"
SMALL = {"source": "seeded", "d_model": 8, "num_heads": 2}
# Every size is another number, so that no axis can pass for its neighbour.
ODD = {"source": "seeded", "d_model": 9, "num_heads": 4, "num_kv_heads": 2, "d_k": 3, "d_v": 5,
       "num_layers": 2, "bias": True}  # fmt: skip
SIZES = {"batch": 2, "query": 7, "key": 7, "head": 4, "kv_head": 2, "d_model": 9, "d_k": 3,
         "d_v": 5, "head·d_v": 20, "head·d_k": 12, "kv_head·d_k": 6, "kv_head·d_v": 10}  # fmt: skip
ELAPSED = re.compile(rb'"elapsed_ms":[0-9.e-]+')


def test_the_reply_has_every_field_of_the_contract(client: TestClient) -> None:
    reply = ask(client, text=TEXT)
    assert list(reply) == [
        "trace", "tokens", "context_tokens", "offsets", "added", "lengths", "context_lengths",
        "shape", "scale", "temperature", "dtype", "holds", "notes", "layers", "checks",
        "elapsed_ms",
    ]  # fmt: skip
    assert re.fullmatch(r"[0-9a-f]{32}", reply["trace"])
    assert reply["tokens"] == [["The", "cat", "sat", "on", "the", "mat"]]
    assert reply["offsets"] == [[[0, 3], [4, 7], [8, 11], [12, 14], [15, 18], [19, 22]]]
    assert reply["added"] == [[False] * 6]
    assert reply["lengths"] == [6]
    assert reply["context_tokens"] is None
    assert reply["context_lengths"] is None
    assert reply["shape"] == {
        "batch": 1, "num_layers": 1, "num_heads": 4, "num_kv_heads": 4, "n": 6, "m": 6,
        "d_model": 64, "d_k": 16, "d_v": 16,
    }  # fmt: skip
    assert (reply["scale"], reply["temperature"], reply["dtype"]) == (0.25, 1.0, "float64")
    assert reply["holds"] == ["attention", "sqrt_d_k"]
    assert [list(layer) for layer in reply["layers"]] == [list(NAMES)]
    assert reply["elapsed_ms"] >= 0


def test_the_reply_checks_itself(client: TestClient) -> None:
    checks = ask(client, text=TEXT)["checks"]
    assert list(checks) == [
        "max_row_sum_error", "fully_masked_rows", "non_finite", "max_reference_error",
    ]  # fmt: skip
    assert 0 <= checks["max_row_sum_error"] < 1e-14
    assert (checks["fully_masked_rows"], checks["non_finite"]) == (0, 0)
    assert 0 <= checks["max_reference_error"] < 1e-12


def test_every_stage_has_the_axes_of_the_table(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for stage in STAGES:
        with subtests.test(stage.name):
            reply = ask(client, text=["one two", "a b c d e f g"], model=ODD, stages=[stage.name])
            assert len(reply["layers"]) == 2
            for layer in reply["layers"]:
                assert list(layer) == [stage.name]
                assert array(layer[stage.name]).shape == tuple(SIZES[axis] for axis in stage.axes)


def test_a_cell_is_null_where_it_is_masked_and_there_alone(client: TestClient) -> None:
    (layer,) = ask(client, text="a b c", model=SMALL)["layers"]
    scaled, masked, weights = (
        array(layer[name])[0] for name in ("scaled_scores", "masked_scores", "weights")
    )
    closed = np.triu(np.ones((3, 3), bool), 1)
    assert (np.isnan(masked) == closed).all()
    assert (masked[:, ~closed] == scaled[:, ~closed]).all()
    assert (weights[:, closed] == 0).all()
    assert (weights[:, ~closed] > 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-14)
    assert not np.isnan(scaled).any()


def test_masks_compose(client: TestClient, subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ({"causal": False}, lambda i, j: True),
        ({"window": 2}, lambda i, j: j <= i and abs(i - j) < 2),
        ({"window": 2, "causal": False}, lambda i, j: abs(i - j) < 2),
        ({"window": 1, "prefix": 2}, lambda i, j: i == j or j < 2),
        ({"prefix": 3}, lambda i, j: j <= i or j < 3),
        ({"stride": 2}, lambda i, j: j <= i and (i - j) % 2 == 0),
        ({"window": 1, "global_tokens": 1}, lambda i, j: j == 0 or i == j),
        ({"window": 1, "global_tokens": [2, 2]}, lambda i, j: j == i or (2 in (i, j) and j <= i)),
        ({"block_size": 2, "causal": False}, lambda i, j: i // 2 == j // 2),
        ({"blocked": [[3, 0], [2, 2]]}, lambda i, j: j <= i and (i, j) not in {(3, 0), (2, 2)}),
        ({"prefix": 4, "blocked": [[0, 3]]}, lambda i, j: (i, j) != (0, 3)),
    ]
    for options, opens in cases:
        with subtests.test(options=options):
            reply = ask(client, text="a b c d", model=SMALL, stages=["masked_scores"], **options)
            masked = array(reply["layers"][0]["masked_scores"])[0, 0]
            expected = [[not opens(i, j) for j in range(4)] for i in range(4)]
            assert np.isnan(masked).tolist() == expected


def test_a_batch_is_padded_at_the_end_and_padding_is_masked(client: TestClient) -> None:
    reply = ask(client, text=["a b", "a b c d"], model=SMALL)
    assert reply["tokens"] == [["a", "b", None, None], ["a", "b", "c", "d"]]
    assert reply["offsets"][0] == [[0, 1], [2, 3], None, None]
    assert reply["added"][0] == [False, False, None, None]
    assert reply["lengths"] == [2, 4]
    assert reply["checks"]["fully_masked_rows"] == 2
    (layer,) = reply["layers"]
    weights, masked = array(layer["weights"]), array(layer["masked_scores"])
    assert (array(layer["x"])[0, 2:] == 0).all()
    assert (weights[0, :, 2:] == 0).all()
    assert (weights[0, :, :, 2:] == 0).all()
    assert np.isnan(masked[0, :, 2:]).all()
    assert np.isnan(masked[0, :, :, 2:]).all()
    alone = ask(client, text="a b", model=SMALL)["layers"][0]
    np.testing.assert_allclose(array(layer["output"])[0, :2], array(alone["output"])[0])


def test_context_length_pads_and_never_cuts(client: TestClient) -> None:
    reply = ask(client, text="a b", model=SMALL, context_length=5)
    assert reply["shape"]["n"] == reply["shape"]["m"] == 5
    assert (reply["lengths"], reply["tokens"]) == ([2], [["a", "b", None, None, None]])


def test_parameters_come_along_where_they_are_asked_for(client: TestClient) -> None:
    reply = ask(client, text="a b", model=ODD, parameters=True)
    for layer in reply["layers"]:
        p = {name: array(values) for name, values in layer["parameters"].items()}
        assert {name: value.shape for name, value in p.items()} == {
            "w_q": (9, 12), "w_k": (9, 6), "w_v": (9, 10), "w_o": (20, 9),
            "b_q": (12,), "b_k": (6,), "b_v": (10,), "b_o": (9,),
        }  # fmt: skip
        q = (array(layer["x"])[0] @ p["w_q"] + p["b_q"]).reshape(2, 4, 3).swapaxes(0, 1)
        np.testing.assert_allclose(array(layer["q"])[0], q, atol=1e-14)
        output = array(layer["concat"])[0] @ p["w_o"] + p["b_o"]
        np.testing.assert_allclose(array(layer["output"])[0], output, atol=1e-14)


def test_stages_layers_and_heads_choose_what_is_sent(client: TestClient) -> None:
    whole = ask(client, text="a b", model=ODD)
    part = ask(client, text="a b", model=ODD, stages=["k", "q", "x"], layers=[1], heads=[3, 2])
    assert part["trace"] == whole["trace"]
    (layer,) = part["layers"]
    assert list(layer) == ["x", "q", "k"]
    full = whole["layers"][1]
    assert layer["x"] == full["x"]
    assert layer["q"] == [[full["q"][0][3], full["q"][0][2]]]
    assert layer["k"] == [[full["k"][0][1]]]


def test_nothing_chosen_is_nothing_sent(client: TestClient) -> None:
    assert ask(client, text="a", model=SMALL, layers=[])["layers"] == []
    assert ask(client, text="a", model=SMALL, stages=[])["layers"] == [{}]


@pytest.mark.parametrize("rows", [[[1, 0], [0, 2], [3, 0]], [[[1, 0]], [[0, 2]]]])
def test_x_is_used_as_it_is(client: TestClient, rows: list[Any]) -> None:
    model = {"source": "seeded", "d_model": 2, "num_heads": 1, "positions": "sinusoidal"}
    reply = ask(client, x=rows, model=model)
    x = rows if isinstance(rows[0][0], list) else [rows]
    assert reply["layers"][0]["x"] == x
    assert reply["tokens"] is None
    assert reply["offsets"] == [[None] * len(x[0])] * len(x)
    assert reply["lengths"] == [len(x[0])] * len(x)


def test_tokens_beside_x_are_labels(client: TestClient) -> None:
    model = {"source": "seeded", "d_model": 2, "num_heads": 1}
    reply = ask(client, x=[[1, 0], [0, 1]], tokens=["same", "same"], model=model)
    assert reply["tokens"] == [["same", "same"]]
    assert reply["layers"][0]["x"] == [[[1, 0], [0, 1]]]


def test_tokens_alone_are_the_tokens(client: TestClient) -> None:
    reply = ask(client, tokens=[["New York", "is"], ["big"]], model=SMALL)
    assert reply["tokens"] == [["New York", "is"], ["big", None]]
    assert reply["offsets"] == [[None, None], [None, None]]
    single = ask(client, tokens=["a", "b"], model=SMALL)
    assert single["layers"] == ask(client, text="a b", model=SMALL)["layers"]


def test_a_text_becomes_tokens(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = [
        ("猫爱吃鱼", "words", ["猫", "爱", "吃", "鱼"]),
        ("It's 3.14!", "words", ["It's", "3.14", "!"]),
        ("a b!", "characters", ["a", "b", "!"]),
        ("👨‍👩‍👧 é", "characters", ["👨‍👩‍👧", "é"]),
        ("It's  over!", "whitespace", ["It's", "over!"]),
    ]
    for text, tokenizer, tokens in cases:
        with subtests.test(text, tokenizer=tokenizer):
            reply = ask(client, text=text, tokenizer=tokenizer, model=SMALL)
            assert reply["tokens"] == [tokens]
            assert [text[start:end] for start, end in reply["offsets"][0]] == tokens


def test_explicit_weights_are_computed_with_as_they_are(client: TestClient) -> None:
    model = {"source": "explicit", "w_q": [[1, 0], [0, 1]], "w_k": [[0, 1], [1, 0]],
             "w_v": [[2], [3]], "b_q": [1, 1], "b_k": [0, -1], "b_v": [10]}  # fmt: skip
    reply = ask(client, x=[[1, 2], [3, 4]], model=model, scale="none", parameters=True)
    (layer,) = reply["layers"]
    assert layer["q"] == [[[[2, 3], [4, 5]]]]
    assert layer["k"] == [[[[2, 0], [4, 2]]]]
    assert layer["v"] == [[[[18], [28]]]]
    assert layer["scores"] == [[[[4, 14], [8, 26]]]]
    assert layer["masked_scores"] == [[[[4, None], [8, 26]]]]
    assert layer["weights"][0][0][0] == [1, 0]
    assert layer["output"] == layer["concat"]
    assert reply["shape"]["d_v"] == 1
    assert list(layer["parameters"]) == ["w_q", "w_k", "w_v", "b_q", "b_k", "b_v"]


def test_explicit_weights_take_a_text_with_seeded_embeddings(client: TestClient) -> None:
    w = np.eye(4).tolist()
    model = {"source": "explicit", "num_heads": 2, "w_q": w, "w_k": w, "w_v": w, "w_o": w}
    first, other = (ask(client, text="a", model={**model, "seed": seed}) for seed in (0, 1))
    assert first["layers"][0]["output"] == first["layers"][0]["x"]
    assert first["layers"][0]["x"] != other["layers"][0]["x"]


def test_crafted_heads_behave(client: TestClient, subtests: pytest.Subtests) -> None:
    cases = {"previous_token": 1, "first_token": 1, "same_token": 1, "uniform": 1, "all": 4}
    for name, heads in cases.items():
        with subtests.test(name):
            model = {"source": "crafted", "name": name}
            reply = ask(client, text="the cat saw the dog", model=model)
            weights = array(reply["layers"][0]["weights"])[0]
            assert reply["shape"]["num_heads"] == heads
            if name == "previous_token":
                assert (weights[0, [1, 2, 3, 4], [0, 1, 2, 3]] > 0.99).all()
            if name == "first_token":
                assert (weights[0, :, 0] > 0.99).all()
            if name == "same_token":
                assert abs(weights[0, 3, 0] - weights[0, 3, 3]) < 0.01
                assert weights[0, 3, 0] > 0.49
            if name == "uniform":
                np.testing.assert_allclose(weights[0, 4], 0.2)


def test_an_upload_computes_as_the_same_weights_written_out(client: TestClient) -> None:
    arrays = matrices(4, ("w_q", "w_k", "w_v", "w_o"))
    model = {"source": "uploaded", "id": upload(client, arrays, num_heads="2")["id"]}
    explicit = {"source": "explicit", "num_heads": 2}
    explicit |= {name: value.astype(float).tolist() for name, value in arrays.items()}
    x = np.eye(4).tolist()
    ours, theirs = ask(client, x=x, model=model), ask(client, x=x, model=explicit, dtype="float32")
    assert ours["dtype"] == "float32"
    assert ours["layers"] == theirs["layers"]


def test_scale_and_temperature_change_the_scores(client: TestClient) -> None:
    for scale, value in (("sqrt_d_k", 0.5), ("none", 1.0), (3, 3.0), (0, 0.0), (-0.25, -0.25)):
        reply = ask(client, text="a b", model=SMALL, scale=scale, temperature=2, causal=False)
        (layer,) = reply["layers"]
        assert (reply["scale"], reply["temperature"]) == (value, 2.0)
        expected = array(layer["scores"]) * value / 2
        np.testing.assert_allclose(array(layer["scaled_scores"]), expected, rtol=1e-14)
        np.testing.assert_allclose(array(layer["weights"]).sum(-1), 1, rtol=1e-14)


def test_float32_is_float64_rounded(client: TestClient) -> None:
    narrow = ask(client, text=TEXT, model=SMALL, dtype="float32")
    wide = ask(client, text=TEXT, model=SMALL, dtype="float64")
    assert (narrow["dtype"], wide["dtype"]) == ("float32", "float64")
    assert narrow["trace"] != wide["trace"]
    assert wide["trace"] != ask(client, text=TEXT, model=SMALL)["trace"]
    pair = [array(reply["layers"][0]["weights"]) for reply in (narrow, wide)]
    assert 0 < np.abs(pair[0] - pair[1]).max() < 1e-6


@pytest.mark.parametrize("block", ["attention", "residual"])
def test_a_layer_receives_what_the_one_below_gave(client: TestClient, block: str) -> None:
    layers = ask(client, text="a b", model={**SMALL, "num_layers": 3, "block": block})["layers"]
    assert [layer["x"] for layer in layers[1:]] == [layer["block_output"] for layer in layers[:-1]]
    expected = array(layers[0]["output"]) + (array(layers[0]["x"]) if block == "residual" else 0)
    np.testing.assert_allclose(array(layers[0]["block_output"]), expected, rtol=1e-15)


@pytest.mark.parametrize("how", [{"headers": {"Accept": SAFETENSORS}}, {"params": "format"}])
def test_safetensors_hold_the_same_numbers(
    client: TestClient, tmp_path: Path, how: dict[str, Any]
) -> None:
    if "params" in how:
        how = {"params": {"format": "safetensors"}}
    question = {"text": ["a b", "c"], "model": ODD, "parameters": True}
    response = client.post(ATTENTION, json=question, **how)
    assert response.headers["content-type"] == SAFETENSORS
    tensors, reply = load(response.content), ask(client, **question)
    parameters = list(reply["layers"][0]["parameters"])
    assert set(tensors) == {f"layers.{i}.{n}" for i in range(2) for n in [*NAMES, *parameters]}
    for name, tensor in tensors.items():
        _, i, stage = name.split(".")
        layer = reply["layers"][int(i)]
        values = array(layer.get(stage, layer["parameters"].get(stage)))
        assert tensor.dtype == np.float64
        assert (np.isneginf(tensor) == np.isnan(values)).all()
        np.testing.assert_array_equal(np.where(np.isnan(values), -np.inf, values), tensor)
    (tmp_path / "reply").write_bytes(response.content)
    with safe_open(tmp_path / "reply", "numpy") as file:
        about = json.loads(file.metadata()["attnscope"])
    assert about == {name: reply[name] for name in reply if name != "layers"}


def test_safetensors_are_as_narrow_as_the_question(client: TestClient) -> None:
    body = {"text": "a b", "model": SMALL, "dtype": "float32", "heads": [1]}
    response = client.post(ATTENTION, json=body, params={"format": "safetensors"})
    tensors = load(response.content)
    assert {tensor.dtype for tensor in tensors.values()} == {np.dtype(np.float32)}
    assert tensors["layers.0.weights"].shape == (1, 1, 2, 2)


def test_the_headers_say_what_may_be_kept(client: TestClient) -> None:
    response = client.post(ATTENTION, json={"text": "a"})
    assert "etag" not in response.headers  # it names an answer to a question, not to an address
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["vary"] == "Accept, Accept-Language, Accept-Encoding"


def test_the_same_question_is_the_same_bytes_in_any_app(tmp_path: Path) -> None:
    question = {"text": ["The animal didn't cross.", "猫"], "model": ODD, "parameters": True}
    replies, raw = [], []
    for name in ("one", "two"):
        with serving_app(tmp_path / name) as client:
            response = client.post(ATTENTION, json=question)
            replies.append(ELAPSED.sub(b"", response.content))
            again = client.post(ATTENTION, json=question)
            assert again.content == response.content
            asked = client.post(ATTENTION, json=question, params={"format": "safetensors"})
            raw.append(load(asked.content))
    assert replies[0] == replies[1]
    assert all((raw[0][name] == raw[1][name]).all() for name in raw[0])


def test_a_default_that_is_written_out_changes_nothing(client: TestClient) -> None:
    short = ask(client, text=TEXT)
    long = ask(
        client, text=TEXT, tokens=None, x=None, tokenizer="words", context_length=None,
        model={
            "source": "seeded", "seed": 0, "d_model": 64, "num_heads": 4, "num_kv_heads": None,
            "d_k": None, "d_v": None, "num_layers": 1, "init": "xavier_uniform", "bias": False,
            "share": "none", "positions": "sinusoidal", "block": "attention",
            "output_projection": True,
        },
        causal=None, window=None, prefix=0, blocked=[], scale="sqrt_d_k", temperature=1.0,
        dtype=None, stages=None, layers=None, heads=None, parameters=False,
    )  # fmt: skip
    assert long == short


def test_whatever_asks_the_same_is_the_same_trace(client: TestClient) -> None:
    one = ask(client, text="a", model=SMALL, temperature=2, prefix=0, blocked=[[0, 0]])
    two = ask(client, blocked=[[0, 0]], temperature=2.0, model=SMALL, text="a", stages=["x"])
    assert one["trace"] == two["trace"]
    assert one["trace"] != ask(client, text="a", model=SMALL, temperature=2)["trace"]
    assert one["trace"] != ask(client, text="a ", model=SMALL, temperature=2)["trace"]
