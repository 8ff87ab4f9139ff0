"""What is said with the files of an upload, and what the reply says was not: heads, mapping."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.safetensors_files import write_safetensors
from tests.web.client import ATTENTION, MODELS, matrices, refused, sent, upload

LINEAR = {name: np.eye(4) for name in ("attn.query.weight", "attn.key.weight", "attn.value.weight")}
NAMES = dict(zip(("w_q", "w_k", "w_v"), LINEAR, strict=True))


def test_a_file_that_says_its_heads_is_taken_at_its_word(client: TestClient) -> None:
    content = write_safetensors(matrices(), {"num_heads": "2"}, "float32")
    model = client.request(**sent("w", content, num_heads="file")).json()
    assert model["shape"]["num_heads"] == 2
    assert model["notes"] == []
    assert client.request(**sent("w", content)).json() == model


def test_a_file_may_say_as_many_heads_as_the_form_in_the_same_words(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for heads in ("257", "0", "two"):
        with subtests.test(heads):
            wide = {name: np.ones((2, 514)) for name in ("w_q", "w_k", "w_v")}
            said = write_safetensors(wide, {"num_heads": heads}, "float32")
            by_file = refused(client, sent("w", said), 422, "bad_weights_file")
            by_form = refused(
                client, sent("w", save(wide), num_heads=heads), 422, "invalid_request"
            )
            assert by_file["detail"] == by_form["detail"]
            assert by_file["detail"].endswith("from 1 to 256.")


def test_grouped_heads_follow_from_the_number_of_heads(client: TestClient) -> None:
    grouped = {name: np.ones((8, 8 if name == "w_q" else 4)) for name in ("w_q", "w_k", "w_v")}
    shape = upload(client, grouped, num_heads="4")["shape"]
    assert (shape["num_kv_heads"], shape["d_k"], shape["d_v"]) == (2, 2, 2)
    asked = refused(client, sent("w", save(grouped)), 422, "shape_mismatch")
    assert [error["at"] for error in asked["errors"]] == ["num_heads"]
    assert "2, 4, 8" in asked["detail"]
    assert "d_k" not in asked["detail"]


def test_heads_that_nobody_named_are_one_and_the_reply_says_so(client: TestClient) -> None:
    model = upload(client, matrices())
    assert model["shape"]["num_heads"] == 1
    assert [(note["code"], note["at"]) for note in model["notes"]] == [("one_head", "num_heads")]
    assert "4 columns of w_q" in model["notes"][0]["message"]
    chinese = client.get(f"{MODELS}/{model['id']}", headers={"Accept-Language": "zh"}).json()
    assert "头数" in chinese["notes"][0]["message"]
    assert upload(client, matrices(), num_heads="1")["notes"] == []


def mapped(client: TestClient, **more: Any) -> list[dict[str, str]]:
    """The notes of an upload whose mapping says more of each matrix than its name."""
    mapping = {ours: {"tensor": theirs, **more} for ours, theirs in NAMES.items()}
    fields = {"mapping": json.dumps(mapping), "num_heads": "1"}
    notes: list[dict[str, str]] = upload(client, LINEAR, **fields)["notes"]
    return notes


def test_a_linear_weight_that_a_mapping_leaves_as_it_lies_is_noted(client: TestClient) -> None:
    (note,) = mapped(client)
    assert (note["code"], note["at"]) == ("not_transposed", "mapping")
    assert note["message"].startswith("w_q, w_k, w_v were read as they lie")
    by_name = upload(client, LINEAR, mapping=json.dumps(NAMES), num_heads="1")
    assert by_name["notes"] == [note]


@pytest.mark.parametrize("transpose", [True, False])
def test_a_mapping_that_says_whether_to_transpose_needs_no_note(
    client: TestClient, transpose: bool
) -> None:
    assert mapped(client, transpose=transpose) == []


def test_the_table_of_an_embedding_is_never_thought_to_be_a_linear(client: TestClient) -> None:
    tensors = {**matrices(), "wte.weight": np.ones((2, 4))}
    content = write_safetensors(tensors, {"vocab": '["a", "b"]'}, "float32")
    mapping = {**{name: name for name in matrices()}, "embedding": "wte.weight"}
    request = sent("w", content, mapping=json.dumps(mapping), num_heads="1")
    assert client.request(**request).json()["notes"] == []


def test_layers_without_what_lies_between_them_are_not_the_model(client: TestClient) -> None:
    two = {f"layers.{i}.{name}": array for i in (0, 1) for name, array in matrices().items()}
    model = upload(client, two, num_heads="1")
    assert [(note["code"], note["at"]) for note in model["notes"]] == [
        ("attention_only", "weights")
    ]
    asked = {"source": "uploaded", "id": model["id"]}

    def codes(**body: Any) -> list[str]:
        reply = client.post(ATTENTION, json={**body, "model": asked})
        assert reply.status_code == 200, reply.text
        notes = reply.json()["notes"]
        assert all(len(note["message"]) > 20 for note in notes)
        return [note["code"] for note in notes]

    width = len(matrices()["w_q"])
    assert codes(text="a b") == ["attention_only", "random_words"]
    assert codes(x=[[1.0] * width]) == ["attention_only"]
    alone = upload(client, matrices(), num_heads="1")
    asked = {"source": "uploaded", "id": alone["id"]}
    assert alone["notes"] == []
    assert codes(text="a b") == ["random_words"]
    assert client.post(ATTENTION, json={"text": "a b"}).json()["notes"] == []


def test_checkpoints_without_config_are_attention_layers_and_say_so(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(3, 8))
    fused, square = random.normal(size=(8, 24)), random.normal(size=(8, 8))
    at = "encoder.layer.0.attention"
    cases = {
        "gpt2": {"h.0.attn.c_attn.weight": fused, "h.0.attn.c_proj.weight": square},
        "bert": {f"{at}.self.query.weight": fused[:, :8].T, f"{at}.self.key.weight": square,
                 f"{at}.self.value.weight": square, f"{at}.output.dense.weight": square},
        "llama": {f"layers.0.self_attn.{letter}_proj.weight": fused[:, :8].T
                  for letter in "qkvo"},
    }  # fmt: skip
    for layout, arrays in cases.items():
        with subtests.test(layout):
            kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
            model = upload(client, kept, num_heads="2")
            assert model["layout"] == layout
            codes = [note["code"] for note in model["notes"]]
            assert codes == ["no_config", "attention_only"]
            question = {"x": x.tolist(), "model": {"source": "uploaded", "id": model["id"]}}
            reply = client.post(ATTENTION, json={**question, "dtype": "float64"}).json()
            q = np.array(reply["layers"][0]["q"])[0].transpose(1, 0, 2).reshape(3, 8)
            np.testing.assert_allclose(q, x @ fused[:, :8], rtol=1e-5)
            closed = reply["layers"][0]["masked_scores"][0][0][0][2] is None
            assert closed == (layout != "bert")
