"""Few numbers in many layers, texts or masks take long: others are answered meanwhile."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load, save

from tests.web.client import ATTENTION, MODELS, TRACES, refused, run_async
from tests.web.conftest import MakeClient

TURNS = 5  # of the event loop: it has one or two while an answer is computed on it
LAYERS = 300
TINY = {"source": "seeded", "d_model": 1, "num_heads": 1}
HEADS = {"source": "seeded", "d_model": 1, "num_heads": 64, "d_k": 1, "d_v": 1, "num_layers": 8}


def turns(client: TestClient, method: str, path: str, body: dict[str, Any] | None = None) -> int:
    """How often others had their turn on the event loop while a request was answered: counted up
    to what says that they had it, for turns take time from the answer."""
    sent: list[Any] = []
    content = b"" if body is None else json.dumps(body).encode()
    messages = iter([{"type": "http.request", "body": content, "more_body": False}])
    path, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1),
    }  # fmt: skip

    async def receive() -> Any:
        message = next(messages, None)
        if message is None:
            await asyncio.Event().wait()  # the caller stays
        return message

    async def send(message: Any) -> None:
        sent.append(message)

    async def scene() -> int:
        asked = asyncio.ensure_future(client.app(scope, receive, send))
        count = 0
        while not asked.done() and count <= TURNS:
            await asyncio.sleep(0)
            count += 1
        await asked
        return count

    count = run_async(scene())
    assert sent[0]["status"] in (200, 201), sent
    return count


def many_layers(client: TestClient, layers: int) -> dict[str, str]:
    """An upload whose mapping says one number again and again."""
    names = {f"layers.{i}.w_{each}": "w" for i in range(layers) for each in "qkv"}
    files = {"weights": ("m.safetensors", save({"w": np.ones((1, 1), np.float32)}))}
    reply = client.post(MODELS, files=files, data={"mapping": json.dumps(names)})
    assert reply.status_code == 201, reply.text
    return {"source": "uploaded", "id": reply.json()["id"]}


def test_few_numbers_that_take_long_are_not_computed_on_the_event_loop(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    client = make_client()
    cells = [{"layer": i, "head": 0, "rows": [0], "cols": [0]} for i in range(8)]
    questions: dict[str, dict[str, Any]] = {
        "layers": {"text": "a", "model": {**TINY, "num_layers": 96}},
        "uploaded layers": {"text": "a", "layers": [0], "model": many_layers(client, LAYERS)},
        "texts": {"text": ["a"] * 1000, "model": TINY},
        "heads": {"text": "a", "model": {**HEADS, "num_heads": 256, "num_layers": 16}},
        "knockouts": {"text": "a b", "model": HEADS, "knockouts": cells},
        "drops": {
            "text": "a",
            "model": HEADS,
            "drop": [[layer, head] for layer in range(8) for head in range(64)],
        },
    }
    for name, question in questions.items():
        with subtests.test(name):
            assert turns(client, "POST", ATTENTION, {"stages": ["output"], **question}) > TURNS
    assert turns(client, "POST", ATTENTION, {"text": "a", "model": TINY}) < TURNS


def test_nor_is_what_follows_from_a_trace_with_many_layers(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    client = make_client()
    asked = {"text": "a", "model": many_layers(client, LAYERS)}
    url = f"{TRACES}/{client.post(TRACES, json=asked).json()['trace']}"
    for path in ("heads", "export?format=csv", "export?format=html", "export?format=safetensors"):
        with subtests.test(path):
            assert turns(client, "GET", f"{url}/{path}") > TURNS
    with subtests.test("gradients"):
        body = {"objective": {"kind": "sum"}, "stages": ["x"]}
        assert turns(client, "POST", f"{url}/gradients", body) > TURNS


def test_a_file_of_many_small_arrays_is_sent_in_large_pieces(client: TestClient) -> None:
    asked = {"text": "a", "model": {**TINY, "num_layers": 96}}
    url = f"{TRACES}/{client.post(TRACES, json=asked).json()['trace']}/export"
    reply = client.get(url, params={"format": "safetensors"})
    assert len(load(reply.content)) == 96 * 12
    with client.stream("GET", url, params={"format": "npz"}) as streamed:
        assert len(list(streamed.iter_raw())) < 12


def test_a_probe_of_too_many_layers_is_refused(make_client: MakeClient) -> None:
    client = make_client(max_trace_mb=1)
    model = many_layers(client, LAYERS)
    asked = {"text": "a", "model": model}
    url = f"{TRACES}/{client.post(TRACES, json=asked).json()['trace']}/probe"
    refused(client, {"method": "GET", "url": url}, 413, "too_large")
