"""GET /traces/{id}/map, …/tiles, …/pictures and …/thumbnails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from attnscope.tiles.picture import CLOSED, STEPS

WORDS = 300
BODY = {
    "text": " ".join(f"w{i % 37}" for i in range(WORDS)),
    "model": {"source": "seeded", "seed": 1, "d_model": 16, "num_heads": 2},
}


@pytest.fixture
def trace(client: TestClient) -> str:
    path = client.post("/api/v1/traces", json=BODY).headers["Location"]
    assert isinstance(path, str)
    return path


def test_a_map_says_its_sizes_levels_and_range(client: TestClient, trace: str) -> None:
    reply = client.get(f"{trace}/map/weights?head=1").json()
    weights = np.array(
        client.get(f"{trace}/stages/weights?head=1").json()["values"], dtype=np.float64
    )
    there = np.tri(WORDS) > 0
    sizes = {"n": WORDS, "m": WORDS, "tile_size": 256, "levels": 2}
    assert reply == {**sizes, "min": weights[there].min(), "max": weights[there].max()}


def test_a_tile_is_the_block_as_json_as_arrays_and_in_eight_bits(
    client: TestClient, trace: str
) -> None:
    block = client.get(f"{trace}/stages/masked_scores?rows=256:300&cols=0:256&head=1").json()
    numbers = np.array(block["values"], dtype=np.float64)
    address = f"{trace}/tiles/masked_scores/0/1/1/1/0"
    reply = client.get(address).json()
    np.testing.assert_allclose(reply["values"], numbers, rtol=1e-6)
    assert (reply["stage"], reply["z"], reply["row"], reply["reduce"]) == (
        "masked_scores", 1, 1, "mean",
    )  # fmt: skip
    raw = load(client.get(address, params={"format": "safetensors"}).content)
    np.testing.assert_array_equal(raw["layers.0.masked_scores"], np.float32(numbers))
    sent = client.get(address, params={"encoding": "u8"})
    assert sent.headers["content-type"] == "application/octet-stream"
    shape = tuple(map(int, sent.headers["X-Shape"].split(",")))
    low, high = map(float, sent.headers["X-Range"].split(","))
    bits = np.frombuffer(sent.content, np.uint8).reshape(shape)
    assert shape == (44, 256)
    assert not (bits == CLOSED).any()
    step = (high - low) / STEPS
    assert np.abs(low + bits * step - numbers).max() <= step / 2 * (1 + 1e-6)


def test_closed_cells_are_told_apart(client: TestClient, trace: str) -> None:
    sent = client.get(f"{trace}/tiles/weights/0/0/1/0/0?encoding=u8")
    bits = np.frombuffer(sent.content, np.uint8).reshape(256, 256)
    np.testing.assert_array_equal(bits == CLOSED, np.tri(256) == 0)
    assert client.get(f"{trace}/tiles/masked_scores/0/0/1/0/1").json()["values"][0] == [None] * 44


def test_a_picture_has_its_sides_and_vectors_have_pictures_too(
    client: TestClient, trace: str
) -> None:
    sent = client.get(f"{trace}/pictures/q?head=1&size=100&encoding=u8")
    assert (sent.headers["X-Shape"], sent.headers["X-Side"]) == ("75,8", "4,1")
    assert len(sent.content) == 75 * 8
    values = client.get(f"{trace}/pictures/weights?size=100&reduce=max").json()["values"]
    raw = load(client.get(f"{trace}/pictures/weights?size=100&format=safetensors").content)
    np.testing.assert_allclose(raw["layers.0.weights"], np.array(values, float), rtol=1e-6)


@pytest.mark.parametrize(
    "path", ["pictures/weights?size=300", "tiles/weights/0/0/1/0/0?reduce=max"]
)
def test_bytes_are_spread_as_asked(client: TestClient, trace: str, path: str) -> None:
    asked = f"{trace}/{path}&encoding=u8"
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "even": lambda part: part,
        "root": np.sqrt,
        "log": lambda part: np.log1p(1e6 * part) / np.log1p(1e6),
    }
    numbers = np.array(client.get(f"{trace}/stages/weights").json()["values"], dtype=np.float64)
    for spacing, way in ways.items():
        sent = client.get(f"{asked}&spacing={spacing}")
        low, high = map(float, sent.headers["X-Range"].split(","))
        rows, cols = map(int, sent.headers["X-Shape"].split(","))
        bits = np.frombuffer(sent.content, np.uint8).reshape(rows, cols).astype(np.float64)
        part = np.clip((numbers[:rows, :cols] - low) / (high - low), 0, 1)
        there = bits != CLOSED
        assert np.abs(bits / STEPS - way(part))[there].max() <= 0.51 / STEPS
    assert sent.content != client.get(asked).content


def test_thumbnails_are_every_head_of_every_layer(client: TestClient) -> None:
    model = {**BODY["model"], "num_layers": 3}  # type: ignore[dict-item]
    path = client.post("/api/v1/traces", json={**BODY, "model": model}).headers["Location"]
    sent = client.get(f"{path}/thumbnails/weights?size=64&encoding=u8")
    assert sent.headers["X-Shape"] == "3,2,38,38"
    assert len(sent.content) == 3 * 2 * 38 * 38
    assert float(sent.headers["X-Range"].split(",")[1]) <= 1


def test_what_is_not_there_is_refused(
    client: TestClient, trace: str, subtests: pytest.Subtests
) -> None:
    cases = [
        ("tiles/weights/0/0/1/2/0", 404, "not_found"),
        ("tiles/weights/0/0/1/0/99999999999999999999", 404, "not_found"),
        ("tiles/weights/0/0/2/0/0", 404, "not_found"),
        ("tiles/weights/0/0/99999999999999999999/0/0", 404, "not_found"),
        ("tiles/weights/0/2/1/0/0", 404, "not_found"),
        ("tiles/weights/1/0/1/0/0", 404, "not_found"),
        ("tiles/q/0/0/0/0/0", 404, "unknown_stage"),
        ("tiles/nothing/0/0/0/0/0", 404, "unknown_stage"),
        ("tiles/weights/0/0/-1/0/0", 422, "invalid_request"),
        ("tiles/weights/0/0/1/0/0?reduce=least", 422, "invalid_request"),
        ("tiles/weights/0/0/1/0/0?encoding=u9", 422, "invalid_request"),
        ("tiles/weights/0/0/1/0/0?batch=1", 422, "invalid_request"),
        ("map/q", 404, "unknown_stage"),
        ("map/weights?head=2", 422, "invalid_request"),
        ("pictures/nothing", 404, "unknown_stage"),
        ("pictures/context", 404, "unknown_stage"),
        ("pictures/weights?head=2", 422, "invalid_request"),
        ("pictures/weights?layer=7", 422, "invalid_request"),
        ("pictures/weights?size=0", 422, "invalid_request"),
        ("pictures/weights?spacing=cube", 422, "invalid_request"),
        ("pictures/weights?size=1025", 422, "invalid_request"),
        ("thumbnails/q", 404, "unknown_stage"),
        ("thumbnails/weights?batch=1", 422, "invalid_request"),
    ]
    for path, status, code in cases:
        with subtests.test(path):
            reply = client.get(f"{trace}/{path}")
            assert (reply.status_code, reply.json()["code"]) == (status, code)
            assert reply.json()["detail"]
