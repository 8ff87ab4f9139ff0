"""Captures over HTTP: attention without a model, what is shown of it, what is refused."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load, save

from tests.safetensors_files import write_safetensors
from tests.web.captures import (
    CAPTURES,
    FULL,
    HEADS,
    LAYERS,
    TOKENS,
    WEIGHTS,
    D,
    N,
    attention,
    captured,
    got,
    npy,
    npz,
    sent,
    softmax,
    values,
)
from tests.web.client import TRACES, array, ask, posted, refused, stored
from tests.web.conftest import MakeClient

OF_A_MODEL = ("predictions", "decode", "ablations", "probe", "contributions", "linear",
              "precision?layer=0", "export?format=py", "export?format=html",
              "cells/scores/parts?row=0&col=0")  # fmt: skip


def not_captured(client: TestClient, trace: str, path: str) -> str:
    request = {"method": "GET", "url": f"{TRACES}/{trace}/{path}"}
    detail: str = refused(client, request, 422, "not_captured")["detail"]
    return detail


def test_weights_alone_are_a_trace(client: TestClient) -> None:
    made = captured(client, {"attentions": WEIGHTS}, name="mine")
    assert list(made) == ["id", "trace", "name", "shape", "stages", "checks"]
    assert (made["name"], made["stages"]) == ("mine", ["weights"])
    sizes = {"batch": 1, "num_layers": LAYERS, "num_heads": HEADS, "n": N, "m": N}
    assert sizes.items() <= made["shape"].items()
    assert made["checks"]["max_capture_error"] is None
    trace = got(client, made["trace"])
    assert (trace["tokens"], trace["dtype"]) == ([TOKENS], "float32")
    question = got(client, made["trace"], "question")
    assert question == {"model": {"source": "captured", "id": made["id"]}}
    named = client.post(TRACES, json=question)
    assert (named.status_code, named.json()["trace"]) == (201, made["trace"])
    whole = ask(client, **question, layers=[1])
    assert np.array_equal(array(whole["layers"][0]["weights"]).astype(np.float32), WEIGHTS[1:])
    for layer in range(LAYERS):
        for head in range(HEADS):
            seen = values(client, made["trace"], "weights", layer=layer, head=head)
            assert np.array_equal(seen.astype(np.float32), WEIGHTS[layer, head])


@pytest.mark.parametrize(
    "vocabulary",
    [{token: i for i, token in enumerate(TOKENS[:4])}, [[token, -1.0] for token in TOKENS[:4]]],
)
def test_ids_are_named_by_a_tokenizer(client: TestClient, vocabulary: object) -> None:
    """The table of a BPE or a Unigram model, and an added token."""
    definition = {"model": {"vocab": vocabulary}, "added_tokens": [{"id": 9, "content": TOKENS[4]}]}
    for ids in ([0, 1, 2, 3, 9], [[0, 1, 2, 3, 9]]):
        request = sent(("run.npz", npz(weights=WEIGHTS)), tokens=ids)
        request["files"].append(("tokenizer", ("tokenizer.json", json.dumps(definition))))
        made = client.request(**request).json()
        assert got(client, made["trace"])["tokens"] == [TOKENS]


def test_every_view_of_weights_works(client: TestClient) -> None:
    trace = captured(client, {"weights": WEIGHTS})["trace"]
    heads = got(client, trace, "heads")["heads"]
    assert len(heads) == LAYERS * HEADS
    own = WEIGHTS[0, 0].diagonal().mean()
    assert heads[0]["own"] == pytest.approx(own, rel=1e-5)
    mixed = [0.5 * (layer.mean(0, dtype=np.float64) + np.eye(N)) for layer in WEIGHTS]
    rollout = got(client, trace, "rollout")["maps"]
    assert array(rollout[1]) == pytest.approx(mixed[1] @ mixed[0], abs=1e-6)
    assert got(client, trace, "map/weights")["max"] == WEIGHTS[0, 0].max()
    tile = got(client, trace, "tiles/weights/1/2/0/0/0")["values"]
    assert np.array_equal(array(tile).astype(np.float32), WEIGHTS[1, 2])
    small = client.get(f"{TRACES}/{trace}/thumbnails/weights")
    assert small.headers["x-shape"] == f"{LAYERS},{HEADS},{N},{N}"
    for path in ("pictures/weights", "cells/weights?row=2&col=1", "heads", "stages/weights"):
        assert got(client, trace, f"{path}{'&' if '?' in path else '?'}tokens=words")
    assert got(client, trace, "tokens?rows=1:3")["tokens"] == TOKENS[1:3]


def test_pieces_are_merged_into_words_by_their_marks(client: TestClient) -> None:
    pieces = ["The", "Ġun", "cat", "Ġsat", "."]
    trace = captured(client, {"weights": WEIGHTS}, pieces)["trace"]
    block = got(client, trace, "stages/weights?tokens=words&layer=1&head=2")
    assert block["words"] == [[0], [1, 2], [3], [4]]
    expected = WEIGHTS[1, 2, 3, 1:3].sum()
    assert block["values"][2][1] == pytest.approx(expected, abs=1e-6)
    cell = got(client, trace, "cells/weights?tokens=words&layer=1&head=2&row=2&col=1")
    assert cell["value"] == pytest.approx(expected, abs=1e-6)


def test_exports_hold_what_was_given(client: TestClient) -> None:
    trace = captured(client, {"weights": WEIGHTS})["trace"]
    url = f"{TRACES}/{trace}/export?format="
    tensors = load(client.get(f"{url}safetensors").content)
    assert sorted(tensors) == [f"layers.{i}.weights" for i in range(LAYERS)]
    assert np.array_equal(tensors["layers.1.weights"][0], WEIGHTS[1])
    archive = np.load(io.BytesIO(client.get(f"{url}npz").content))
    assert np.array_equal(archive["layers.0.weights"][0], WEIGHTS[0])
    lines = client.get(f"{url}csv").text.splitlines()
    assert len(lines) == 1 + WEIGHTS.size
    layers = client.get(f"{url}json").json()["layers"]
    assert [list(layer) for layer in layers] == [["weights"]] * LAYERS


def test_a_stage_that_is_missing_says_what_it_needs(client: TestClient) -> None:
    trace = captured(client, {"weights": WEIGHTS})["trace"]
    assert "q, k" in not_captured(client, trace, "stages/scores")
    assert "weights, v" in not_captured(client, trace, "stages/head_outputs")
    assert "w_o" in not_captured(client, trace, "pictures/output")
    for path in ("stages/x", "stages/w_q", "cells/q?row=0&col=0", "map/scores",
                 "export?stages=scores", "tiles/scores/0/0/0/0/0", "pictures/k"):  # fmt: skip
        not_captured(client, trace, path)
    without = captured(client, {"scores": FULL["scores"]})["trace"]
    for path in ("heads", "rollout", "thumbnails/weights", "heads?tokens=words"):
        assert "weights" in not_captured(client, without, path)


def test_what_needs_a_model_is_refused(client: TestClient) -> None:
    made = captured(client, FULL)
    for path in OF_A_MODEL:
        not_captured(client, made["trace"], path)
    gradients = {"method": "POST", "url": f"{TRACES}/{made['trace']}/gradients",
                 "json": {"objective": {"kind": "sum"}}}  # fmt: skip
    refused(client, gradients, 422, "not_captured")
    asked = {"model": {"source": "captured", "id": made["id"]}, "text": "other words"}
    request = {"method": "POST", "url": TRACES, "json": asked}
    assert refused(client, request, 422, "invalid_request")["errors"][0]["at"] == "text"


def test_what_follows_is_computed_and_compared(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    cases = {"one text": attention(), "grouped heads": attention(kv_heads=2)}
    for name, arrays in cases.items():
        with subtests.test(name):
            made = captured(client, {one: arrays[one] for one in ("q", "k", "v", "weights")})
            stages = ["q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights"]
            assert made["stages"] == [*stages, "head_outputs", "concat"]
            assert 0 < made["checks"]["max_capture_error"] < 1e-6
            place = {"layer": 1, "head": 3}
            for stage in ("scores", "masked_scores", "head_outputs"):
                seen = values(client, made["trace"], stage, **place)
                expected = np.where(np.isinf(arrays[stage]), np.nan, arrays[stage])[1, 3]
                assert seen == pytest.approx(expected, abs=1e-5, nan_ok=True)
            cell = got(client, made["trace"], "cells/weights?layer=1&head=3&row=3&col=2")
            assert [step["stage"] for step in cell["steps"]] == stages[3:]
            assert cell["value"] == arrays["weights"][1, 3, 3, 2]
            closed = got(client, made["trace"], "cells/masked_scores?row=1&col=3")
            assert closed["value"] is None
            assert closed["masked_because"]


def test_q_and_k_alone_give_unmasked_weights(client: TestClient) -> None:
    made = captured(client, {"q": FULL["q"], "k": FULL["k"]})
    assert made["checks"]["max_capture_error"] is None
    expected = softmax(FULL["scores"][1, 2] / np.sqrt(D))
    seen = values(client, made["trace"], "weights", layer=1, head=2)
    assert seen == pytest.approx(expected, abs=1e-6)


def test_numbers_that_do_not_fit_are_shown_as_they_are(client: TestClient) -> None:
    wrong = WEIGHTS.copy()
    wrong[1, 0, 4, 0] += 0.25
    made = captured(client, {**FULL, "weights": wrong})
    assert made["checks"]["max_capture_error"] == pytest.approx(0.25, abs=1e-6)
    assert made["checks"]["max_row_sum_error"] == pytest.approx(0.25, abs=1e-6)
    seen = values(client, made["trace"], "weights", layer=1, head=0)
    assert np.float32(seen[4, 0]) == wrong[1, 0, 4, 0]
    cell = got(client, made["trace"], "cells/weights?layer=1&head=0&row=4&col=0")
    assert cell["formula"] == "given"
    (step,) = cell["steps"]
    assert [operand["stage"] for operand in step["operands"]] == ["given"]


def test_w_o_gives_the_output(client: TestClient) -> None:
    w_o = np.random.default_rng(1).normal(size=(LAYERS, HEADS * D, 6))
    arrays = {"weights": WEIGHTS, "v": FULL["v"], "w_o": w_o}
    made = captured(client, arrays)
    assert (made["shape"]["d_model"], made["stages"][-1]) == (6, "output")
    concat = FULL["head_outputs"][1].transpose(1, 0, 2).reshape(N, -1)
    seen = values(client, made["trace"], "output", layer=1)
    assert seen == pytest.approx(concat @ w_o[1], abs=1e-5)
    cell = got(client, made["trace"], "cells/output?layer=1&row=2&col=3")
    assert {one["stage"] for one in cell["steps"][0]["operands"]} == {"concat", "w_o"}
    assert np.array_equal(values(client, made["trace"], "w_o", layer=1), w_o[1])


def test_a_batch_has_a_list_of_tokens_for_each_text(client: TestClient) -> None:
    arrays = attention(2)
    made = captured(client, arrays, [TOKENS, TOKENS[:3]])
    trace = got(client, made["trace"])
    assert (trace["lengths"], trace["tokens"][1][3:]) == ([5, 3], [None, None])
    seen = values(client, made["trace"], "weights", layer=1, head=2, batch=1)
    assert np.array_equal(seen.astype(np.float32), arrays["weights"][1, 1, 2])


def test_cross_attention_has_two_lists_of_tokens(client: TestClient) -> None:
    weights = softmax(np.random.default_rng(0).normal(size=(2, 3, 4, 5)))
    queries = ["a", "b", "c", "d"]
    made = captured(client, {"weights": weights}, queries, context_tokens=TOKENS)
    trace = got(client, made["trace"])
    assert trace["context_tokens"] == [TOKENS]
    assert (trace["shape"]["n"], trace["shape"]["m"], trace["dtype"]) == (4, 5, "float64")
    request = {"method": "GET", "url": f"{TRACES}/{made['trace']}/rollout"}
    refused(client, request, 422, "invalid_request")
    assert got(client, made["trace"], "heads")["heads"][0]["distance"] is None


def test_steps_of_generate_become_one_map_a_layer(client: TestClient) -> None:
    steps = {}
    for layer in range(LAYERS):
        whole = WEIGHTS[layer][None]
        steps[f"attentions.0.{layer}"] = whole[:, :, :3, :3]
        for step in (1, 2):
            row = 2 + step
            steps[f"attentions.{step}.{layer}"] = whole[:, :, row : row + 1, : row + 1]
    for tokens in (TOKENS, [*TOKENS, "last"]):
        made = captured(client, steps, tokens)
        assert got(client, made["trace"])["tokens"] == [TOKENS]
        for layer in range(LAYERS):
            seen = values(client, made["trace"], "weights", layer=layer, head=1)
            assert np.array_equal(seen.astype(np.float32), WEIGHTS[layer, 1])
    del steps["attentions.1.0"]
    request = sent(("run.npz", npz(**steps)), tokens=TOKENS)
    assert "Step 1 of layer 0" in refused(client, request, 422, "shape_mismatch")["detail"]


def test_every_kind_of_file_is_read(client: TestClient, subtests: pytest.Subtests) -> None:
    exact = np.full((LAYERS, HEADS, N, N), 0.25, np.float32)
    files = {
        "npz": ([("run.npz", npz(weights=exact))], "float32"),
        "safetensors": ([("run.safetensors", save({"attentions": exact}))], "float32"),
        "float64": ([("run.npz", npz(weights=exact.astype(np.float64)))], "float64"),
        "npy": ([("run.npy", npy(exact))], "float32"),
        "float16": ([("weights.npy", npy(exact.astype(np.float16)))], "float32"),
        "columns first": ([("a.npy", npy(np.asfortranarray(exact)))], "float32"),
        "json": ([("run.json", json.dumps({"weights": exact.tolist()}).encode())], "float64"),
        "one layer": ([("run.npy", npy(exact[0]))], "float32"),
        "a file a layer": (
            [(f"layers.{i}.weights.npy", npy(exact[i])) for i in range(LAYERS)], "float32",
        ),
    }  # fmt: skip
    half = {"weights": exact.astype(np.float64)}
    files["bfloat16"] = [("b.safetensors", write_safetensors(half, {}, "bfloat16"))], "float32"
    files["half"] = [("h.safetensors", write_safetensors(half, {}, "float16"))], "float32"
    files["half in npz"] = [("run.npz", npz(weights=exact.astype(np.float16)))], "float32"
    for kind, (parts, dtype) in files.items():
        with subtests.test(kind):
            response = client.request(**sent(*parts, tokens=TOKENS))
            assert response.status_code == 201, response.text
            trace = got(client, response.json()["trace"])
            assert trace["dtype"] == dtype
            assert trace["shape"]["num_layers"] == (1 if kind == "one layer" else LAYERS)
            assert (values(client, trace["trace"], "weights", head=3) == 0.25).all()
            assert trace["checks"]["max_row_sum_error"] == 0.25


def test_captures_last_and_are_deleted(make_client: MakeClient, data: Path) -> None:
    client = make_client()
    made = captured(client, FULL)
    assert stored(data)[0] == [made["id"]]
    other = make_client()
    seen = values(other, made["trace"], "weights", layer=1)
    assert np.array_equal(seen.astype(np.float32), WEIGHTS[1, 0])
    at = f"{CAPTURES}/{made['id']}"
    assert client.get(f"/api/v1/models/{made['id']}").status_code == 404
    assert client.delete(f"/api/v1/models/{made['id']}").status_code == 404
    assert client.delete(at).status_code == 204
    assert stored(data)[0] == []
    for each in (client, other):
        request = {"method": "GET", "url": f"{TRACES}/{made['trace']}"}
        refused(each, request, 404, "unknown_model")
    refused(client, {"method": "DELETE", "url": at}, 404, "unknown_model")


def test_an_upload_of_weights_is_no_capture(client: TestClient) -> None:
    files = {"weights": ("w.npz", npz(**{f"w_{n}": np.eye(4) for n in "qkv"}))}
    model = client.post("/api/v1/models", files=files).json()["id"]
    request = {"method": "DELETE", "url": f"{CAPTURES}/{model}"}
    refused(client, request, 404, "unknown_model")
    request = posted({"model": {"source": "captured", "id": model}}, TRACES)
    refused(client, request, 404, "unknown_model")


def test_a_scale_of_each_layer_is_what_scores_are_multiplied_by(client: TestClient) -> None:
    given = {name: FULL[name] for name in ("q", "k")}
    made = captured(client, {**given, "scale": np.array([0.5, 0.25], np.float32)})
    trace = got(client, made["trace"])
    assert (trace["scale"], trace["scales"], trace["dtype"]) == (0.5, [0.5, 0.25], "float32")
    assert trace["stages"] == made["stages"]
    for layer, scale in enumerate(trace["scales"]):
        scores, scaled = (values(client, made["trace"], name, layer=layer, head=1)
                          for name in ("scores", "scaled_scores"))  # fmt: skip
        assert np.allclose(scores * scale, scaled, rtol=1e-6)
    cell = got(client, made["trace"], "cells/scaled_scores?row=2&col=1&layer=1")
    assert "0.25" in cell["steps"][-1]["expression"]


@pytest.fixture(scope="module")
def captures(client: TestClient) -> dict[int, str]:
    """Ids of captures of four layers of two heads, by their tokens: 2 MB, a little more, 16 MB."""
    found = {}
    for n in (180, 181, 512):
        files = {"arrays": ("a.npz", npz(weights=np.full((4, 2, n, n), 1 / n)))}
        tokens = {"tokens": json.dumps(["a"] * n)}
        found[n] = client.post("/api/v1/captures", files=files, data=tokens).json()["id"]
    return found


def test_the_page_knows_a_capture_that_is_too_large_to_send_whole(
    client: TestClient, captures: dict[int, str]
) -> None:
    for n, large in ((181, None), (512, captures[512])):
        page = client.get(f"/?source=captured&id={captures[n]}").text
        assert f'"large_capture": {json.dumps(large)}' in page
    assert '"large_capture": null' in client.get("/?source=captured&id=0a").text


def test_the_page_fetches_the_layer_of_its_first_picture_before_the_rest_of_a_capture(
    client: TestClient, captures: dict[int, str]
) -> None:
    def first(more: str, n: int = 181) -> list[int] | None:
        capture = captures[n]
        page = client.get(f"/?source=captured&id={capture}{more}").text
        found = re.search(r'"first_part": (null|\{.+?\})', page)
        assert found is not None
        part = json.loads(found[1])
        assert part is None or part["id"] == capture
        layers: list[int] | None = part and part["layers"]
        return layers

    assert first("", 180) is first("", 512) is None
    assert [first(more) for more in ("", "&layer=2&tab=lines", "&layer=x")] == [[0], [2], [0]]
    assert first(f"&layer={'9' * 5000}") == [3]  # Python refuses so many digits
    assert first("&tab=heads") is first("&heads=0.1") is None
