"""Uploads over HTTP: what is recognised, what is kept, what is refused and leaves nothing."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import save

from tests.hostile.test_hostile_files import hostile_files
from tests.safetensors_files import write_safetensors
from tests.web.client import (
    ATTENTION,
    MODELS,
    TRACES,
    array,
    ask,
    matrices,
    problem_of,
    raw,
    refused,
    sent,
    serving_app,
    stored,
    upload,
)
from tests.web.conftest import MakeClient

FULL = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
X = np.eye(4).tolist()
GOOD = save(matrices())
GOLDEN = Path(__file__).resolve().parents[2] / "golden/data_0.1.0"


def layer(seed: int = 0) -> dict[str, np.ndarray]:
    """Every tensor of one layer, small whole numbers: exact in every dtype."""
    rng = np.random.default_rng(seed)
    shapes = {name: (4, 4) if name[0] == "w" else (4,) for name in FULL}
    return {n: rng.integers(-3, 4, shape).astype(np.float64) for n, shape in shapes.items()}


def npz(arrays: dict[str, np.ndarray]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def as_json(arrays: dict[str, np.ndarray], **beside: Any) -> bytes:
    return json.dumps({**{n: a.tolist() for n, a in arrays.items()}, **beside}).encode()


FORMATS = {
    "F64": ("w.safetensors", write_safetensors(layer(), {}, "float64"), "float64"),
    "F32": ("w.safetensors", write_safetensors(layer(), {}, "float32"), "float32"),
    "F16": ("w.safetensors", write_safetensors(layer(), {}, "float16"), "float16"),
    "BF16": ("w.safetensors", write_safetensors(layer(), {}, "bfloat16"), "bfloat16"),
    "npz": ("w.npz", npz(layer()), "float64"),
    "json": ("w.json", as_json(layer()), "float64"),
}
# Of an upload of these.
FIELDS = ["id", "name", "layout", "shape", "dtype", "tensors", "has_embedding", "has_tokenizer",
          "bytes", "notes"]  # fmt: skip
SHAPE = {"num_layers": 1, "num_heads": 2, "num_kv_heads": 2, "d_model": 4, "d_k": 2, "d_v": 2}


def test_weights_of_every_format_are_kept_and_used(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    for kind, (filename, content, dtype) in FORMATS.items():
        with subtests.test(kind):
            response = client.request(**sent(filename, content, num_heads="2", name="tiny"))
            assert response.status_code == 201
            model = response.json()
            assert list(model) == FIELDS
            assert response.headers["location"] == f"{MODELS}/{model['id']}"
            assert (model["name"], model["layout"], model["dtype"]) == ("tiny", "canonical", dtype)
            assert model["shape"] == SHAPE
            shapes = {tensor["name"]: tensor["shape"] for tensor in model["tensors"]}
            assert shapes == {n: list(a.shape) for n, a in layer().items()}
            assert {tensor["dtype"] for tensor in model["tensors"]} == {dtype}
            assert (model["has_embedding"], model["has_tokenizer"]) == (False, False)
            reply = ask(
                client, x=X, model={"source": "uploaded", "id": model["id"]}, parameters=True
            )
            found = reply["layers"][0]["parameters"]
            assert {name: array(values).tolist() for name, values in found.items()} == {
                name: values.tolist() for name, values in layer().items()
            }


def test_an_upload_is_described_again_by_its_id(client: TestClient) -> None:
    model = upload(client, matrices(), num_heads="2", name="猫")
    assert client.get(f"{MODELS}/{model['id']}").json() == model


def test_the_same_upload_has_the_same_id_and_another_has_another(client: TestClient) -> None:
    uploads = [
        client.request(**sent("one.npz", npz(matrices(seed=seed)), num_heads=heads)).json()
        for seed, heads in ((0, "1"), (0, "1"), (1, "1"), (0, "2"))
    ]
    assert uploads[0] == uploads[1]
    assert len({model["id"] for model in uploads}) == 3


def test_the_id_cannot_be_guessed_from_the_file(make_client: MakeClient, tmp_path: Path) -> None:
    ids = {
        upload(make_client(tmp_path / place), matrices(), name="w")["id"] for place in ("a", "b")
    }
    assert len(ids) == 2


def test_several_layers_and_shards_make_one_model(client: TestClient) -> None:
    parts = [{f"layers.{i}.{name}": values for name, values in layer(i).items()} for i in range(3)]
    files = [("weights", (f"{i}.safetensors", save(part))) for i, part in enumerate(parts)]
    response = client.post(MODELS, files=files)
    assert response.status_code == 201
    assert response.json()["shape"]["num_layers"] == 3
    model = {"source": "uploaded", "id": response.json()["id"]}
    layers = ask(client, x=X, model=model, parameters=True)["layers"]
    assert [one["parameters"]["w_o"] for one in layers] == [
        layer(i)["w_o"].tolist() for i in range(3)
    ]


def test_an_embedding_gives_each_token_its_row(client: TestClient) -> None:
    rows = np.arange(12.0).reshape(3, 4)
    content = as_json({**matrices(), "embedding": rows}, vocab=["the", "cat", "猫"], num_heads=2)
    model = client.request(**sent("w.json", content)).json()
    assert model["has_embedding"] is True
    question = {"model": {"source": "uploaded", "id": model["id"]}}
    reply = ask(client, text="cat 猫 the", **question)
    assert reply["layers"][0]["x"] == [rows[[1, 2, 0]].tolist()]
    body = {"method": "POST", "url": ATTENTION, "json": {"text": "the dog", **question}}
    assert "dog" in refused(client, body, 422, "invalid_request")["detail"]


def test_a_mapping_opens_foreign_names(client: TestClient) -> None:
    one = layer()
    fused = np.ascontiguousarray(np.concatenate([one["w_q"], one["w_k"]], 1).T)
    mapping = {
        "w_q": {"tensor": "qk", "slice": [[0, 4], None], "transpose": True},
        "w_k": {"tensor": "qk", "slice": [[4, 8], None], "transpose": True},
        "w_v": "value",
    }
    response = client.request(
        **sent("w", save({"qk": fused, "value": one["w_v"]}), mapping=json.dumps(mapping))
    )
    assert response.status_code == 201
    model = {"source": "uploaded", "id": response.json()["id"]}
    found = ask(client, x=X, model=model, parameters=True)["layers"][0]["parameters"]
    assert [found[n] for n in ("w_q", "w_k", "w_v")] == [
        one[n].tolist() for n in ("w_q", "w_k", "w_v")
    ]


def test_a_deleted_model_is_gone_from_everywhere(make_client: MakeClient, data: Path) -> None:
    client = make_client()
    model_id = upload(client, matrices())["id"]
    model = {"source": "uploaded", "id": model_id}
    trace = ask(client, x=X, model=model)["trace"]
    gone = client.delete(f"{MODELS}/{model_id}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert stored(data)[0] == []
    for request in (
        {"method": "GET", "url": f"{MODELS}/{model_id}"},
        {"method": "DELETE", "url": f"{MODELS}/{model_id}"},
        {"method": "POST", "url": ATTENTION, "json": {"x": X, "model": model}},
        {"method": "POST", "url": TRACES, "json": {"x": X, "model": model}},
        {"method": "GET", "url": f"{TRACES}/{trace}"},
        {"method": "GET", "url": f"{TRACES}/{trace}/stages/x"},
    ):
        refused(client, request, 404, "unknown_model")


def test_a_model_deleted_by_one_worker_is_gone_for_all(make_client: MakeClient) -> None:
    first, second = make_client(), make_client()
    model_id = upload(first, matrices())["id"]
    assert second.get(f"{MODELS}/{model_id}").status_code == 200
    assert first.delete(f"{MODELS}/{model_id}").status_code == 204
    problem_of(second.get(f"{MODELS}/{model_id}"), 404, "unknown_model")
    question = {"x": X, "model": {"source": "uploaded", "id": model_id}}
    problem_of(second.post(ATTENTION, json=question), 404, "unknown_model")


def test_there_is_no_list_of_other_peoples_models(client: TestClient) -> None:
    before = client.get(MODELS).json()
    kept = client.post(MODELS, files={"weights": ("w.safetensors", GOOD)})
    assert kept.status_code == 201
    assert client.get(MODELS).json() == before
    assert client.get(f"{MODELS}/").status_code in (404, 405)


def test_an_unknown_model_is_not_found(client: TestClient, subtests: pytest.Subtests) -> None:
    for model_id in ("nope", "0" * 32, "%00", "..%2f.secret", ".lock", "a" * 900):
        with subtests.test(model_id):
            response = client.get(f"{MODELS}/{model_id}")
            problem_of(response, 404, "not_found" if "%2f" in model_id else "unknown_model")


BAD_FIELDS: dict[str, tuple[dict[str, Any], int, str, str | None]] = {
    "no file": ({"files": {"mapping": (None, "{}")}}, 422, "bad_weights_file", "weights"),
    "weights that are text": (
        {"files": {"weights": (None, "1")}}, 422, "invalid_request", "weights",
    ),
    "a name that is a file": (
        {"files": {"weights": ("w", GOOD), "name": ("n", b"n")}}, 422, "invalid_request", "name",
    ),
    "an unknown field": ({"fields": {"heads": "2"}}, 422, "invalid_request", "heads"),
    "no head": ({"fields": {"num_heads": "0"}}, 422, "invalid_request", "num_heads"),
    "heads in words": ({"fields": {"num_heads": "two"}}, 422, "invalid_request", "num_heads"),
    "endless heads": ({"fields": {"num_heads": "9" * 5000}}, 422, "invalid_request", "num_heads"),
    "heads that divide nothing": (
        {"fields": {"num_heads": "3"}}, 422, "shape_mismatch", "num_heads",
    ),
    "heads that the file does not say": (
        {"fields": {"num_heads": "file"}}, 422, "invalid_request", "num_heads",
    ),
    "a long name": ({"fields": {"name": "n" * 121}}, 422, "invalid_request", "name"),
    "a name with NUL": ({"fields": {"name": "a\0b"}}, 422, "invalid_request", "name"),
    "a mapping that is no JSON": ({"fields": {"mapping": "{"}}, 422, "bad_mapping", "mapping"),
    "a mapping to nothing": (
        {"fields": {"mapping": '{"w_q": "\\ud800"}'}}, 422, "bad_mapping", "mapping.w_q",
    ),
    "seventeen fields": (
        {"fields": {f"f{i}": "1" for i in range(17)}}, 413, "body_too_large", None,
    ),
    "a part too long": ({"fields": {"name": "n" * 1_100_000}}, 413, "body_too_large", None),
}  # fmt: skip


def test_a_wrong_form_is_refused_and_leaves_nothing(
    make_client: MakeClient, data: Path, subtests: pytest.Subtests
) -> None:
    client = make_client()
    for what, (given, status, code, at) in BAD_FIELDS.items():
        with subtests.test(what):
            request = sent("w.safetensors", GOOD, **given.get("fields", {}))
            request["files"] = given.get("files", request["files"])
            body = refused(client, request, status, code)
            assert at is None or [error["at"] for error in body["errors"]] == [at]
            assert stored(data) == ([], 0)


def test_a_hostile_file_is_refused_and_leaves_nothing(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    with serving_app(tmp_path, max_upload_mb=32) as client:
        for what, content, filename, code, _ in hostile_files():
            with subtests.test(what):
                refused(client, sent(filename or "upload", content), 422, code)
                assert stored(tmp_path) == ([], 0)


def test_tensors_that_make_no_model_are_refused_and_leave_nothing(
    make_client: MakeClient, data: Path, subtests: pytest.Subtests
) -> None:
    cases = [
        ({"encoder.weight": np.eye(4)}, "unknown_layout"),
        ({"w_q": np.eye(4), "w_k": np.eye(4)}, "unknown_layout"),
        ({**layer(), "w_x": np.eye(4)}, "unknown_layout"),
        ({f"layers.{i}.{n}": a for i in (0, 2) for n, a in layer().items()}, "unknown_layout"),
        ({**matrices(), "w_v": np.eye(5)}, "shape_mismatch"),
        ({**matrices(), "b_q": np.ones(3)}, "shape_mismatch"),
        ({**matrices(), "b_o": np.ones(4)}, "shape_mismatch"),
        ({**matrices(), "w_k": np.array([[np.nan] * 4] * 4)}, "non_finite"),
        ({**matrices(), "w_k": np.array([[np.inf] * 4] * 4)}, "non_finite"),
        ({**matrices(), "embedding": np.ones((3, 4))}, "bad_weights_file"),
    ]
    client = make_client()
    for arrays, code in cases:
        with subtests.test(arrays=arrays):
            body = refused(client, sent("w", save(arrays)), 422, code)
            if "encoder.weight" in arrays:
                assert "encoder.weight" in body["detail"]
            assert stored(data) == ([], 0)


def test_an_upload_over_the_limit_is_refused_and_leaves_nothing(
    make_client: MakeClient, data: Path
) -> None:
    big = sent("w.safetensors", save({"w_q": np.ones((512, 512))}))
    refused(make_client(max_upload_mb=1), big, 413, "body_too_large")
    assert stored(data) == ([], 0)


def test_a_full_store_refuses_and_keeps_what_it_has(make_client: MakeClient, data: Path) -> None:
    client = make_client(models_mb=1)
    width = 250  # three such matrices fit once, and no second time
    kept = upload(client, matrices(width))
    before = stored(data)
    request = sent("w.safetensors", save(matrices(width, seed=1)))
    refused(client, request, 507, "storage_full")
    assert stored(data) == before
    assert client.get(f"{MODELS}/{kept['id']}").status_code == 200
    client.delete(f"{MODELS}/{kept['id']}")
    assert client.request(**request).status_code == 201


def test_an_upload_is_kept_as_it_was_sent(make_client: MakeClient, data: Path) -> None:
    client = make_client()
    content = npz(layer())
    model = client.request(**sent("w.npz", content, num_heads="2")).json()
    assert stored(data) == ([model["id"]], 0)
    folder = data / "models" / model["id"]
    assert sorted(path.name for path in folder.iterdir()) == ["00.npz", "manifest.json"]
    assert (folder / "00.npz").read_bytes() == content
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert (manifest["version"], manifest["name"], manifest["num_heads"]) == (1, "w", 2)
    assert manifest["client"]
    assert make_client().get(f"{MODELS}/{model['id']}").json() == model


def test_a_client_that_fills_its_share_leaves_room_for_others(
    make_client: MakeClient, data: Path
) -> None:
    client = make_client(models_mb=1, api_keys=["one", "two"])

    def request(key: str, seed: int) -> dict[str, Any]:
        one = sent("w.safetensors", save(matrices(seed=seed)))
        return {**one, "headers": {"Authorization": f"Bearer {key}"}}

    seeds = iter(range(99))
    while client.request(**request("one", seed := next(seeds))).status_code == 201:
        pass
    assert seed == 3, "of room for 15"
    before = stored(data)
    body = refused(client, request("one", 50), 507, "storage_full")
    assert "one client" in body["detail"]
    assert stored(data) == before
    assert client.request(**request("two", 51)).status_code == 201


def test_an_upload_of_0_1_0_is_used_and_deleted(make_client: MakeClient, data: Path) -> None:
    shutil.copytree(GOLDEN, data)
    (old,) = stored(data)[0]
    model_id = old.removesuffix(".safetensors")
    client = make_client()
    answer = client.get(f"{MODELS}/{model_id}").json()
    assert (answer["name"], answer["shape"]["num_layers"]) == ("of 0.1.0", 2)
    reply = ask(client, text="the cat", model={"source": "uploaded", "id": model_id})
    assert reply["dtype"] == "float32"
    assert client.get(f"{TRACES}/c5a45c657caf12c71c46b9afad09e1b2").status_code == 200
    assert client.delete(f"{MODELS}/{model_id}").status_code == 204
    assert stored(data)[0] == []


def test_a_form_in_another_charset_is_refused_unread(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    """Some take the square of their length to decode, some fail, some make half a character."""
    for charset in ("punycode", "undefined", "unicode_escape", "utf-7", "bogus"):
        with subtests.test(charset):
            part = b'--b\r\nContent-Disposition: form-data; name="name-"\r\n\r\n'
            body = part + b"a" * 100_000 + b"\r\n--b--\r\n"
            media = f"multipart/form-data; boundary=b; charset={charset}"
            refused(client, raw(body, media, MODELS), 415, "unsupported_media")


def test_a_form_may_say_that_it_is_utf_8(client: TestClient, subtests: pytest.Subtests) -> None:
    for charset in ("utf-8", "UTF-8", "utf8"):
        with subtests.test(charset):
            part = b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n'
            media = f"multipart/form-data; boundary=b; charset={charset}"
            refused(client, raw(part, media, MODELS), 422, "bad_weights_file")
