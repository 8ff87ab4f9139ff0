"""New attention layers and whole models, and questions about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

import numpy as np
from safetensors.numpy import save

from attnscope.web.serializers.request import DEFAULT_TEXT
from benchmarks.clients.addresses import ATTENTION, MODELS, TRACES
from benchmarks.clients.visitor import Visitor
from tests.families.made import GPT2, gpt2_tensors
from tests.tokenizer_files import definition

BOUNDARY = "8f2d1c7e5b3a"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
TEXT = "abcab"  # tokens of that tokenizer

Part = tuple[str, str | None, bytes]  # field, file name, content


def form(parts: Sequence[Part]) -> bytes:
    body = b""
    for name, filename, value in parts:
        about = f'form-data; name="{name}"' + (f'; filename="{filename}"' if filename else "")
        head = f"--{BOUNDARY}\r\nContent-Disposition: {about}\r\n\r\n"
        body += head.encode() + value + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def layer(visitor: Visitor, d_model: int) -> bytes:
    lots = np.random.default_rng(visitor.random.randrange(1 << 31))
    names = ("w_q", "w_k", "w_v", "w_o")
    arrays = {name: lots.standard_normal((d_model, d_model), np.float32) for name in names}
    return form([("weights", "w.safetensors", save(arrays)), ("num_heads", None, b"4")])


@cache
def _tensors() -> dict[str, np.ndarray]:
    return gpt2_tensors(GPT2)


def gpt2(visitor: Visitor) -> bytes:
    lots = np.random.default_rng(visitor.random.randrange(1 << 31))
    tensors = dict(_tensors())
    first = min(tensors)
    tensors[first] = lots.standard_normal(tensors[first].shape, np.float32)
    return form([
        ("weights", "model.safetensors", save(tensors)),
        ("config", "config.json", json.dumps(GPT2).encode()),
        ("tokenizer", "tokenizer.json", definition()),
    ])  # fmt: skip


async def upload(visitor: Visitor) -> None:
    """Half of the layers are deleted."""
    body = layer(visitor, visitor.random.choice([64, 128, 256]))
    reply = await visitor.ask("upload", "POST", MODELS, body, MULTIPART)
    if reply is None:
        return
    name = reply.json()["id"]
    question = {"text": DEFAULT_TEXT, "model": {"source": "uploaded", "id": name}}
    await visitor.ask("question to an upload", "POST", ATTENTION, question)
    await visitor.ask("spectrum of an upload", "GET", f"{MODELS}/{name}/spectrum")
    await _delete(visitor, name)


async def whole_model(visitor: Visitor) -> None:
    reply = await visitor.ask("upload of a model", "POST", MODELS, gpt2(visitor), MULTIPART)
    if reply is None:
        return
    name = reply.json()["id"]
    question = {"text": TEXT, "model": {"source": "uploaded", "id": name}}
    await visitor.ask("question to a model", "POST", ATTENTION, question)
    link = await visitor.ask("link to a model", "POST", TRACES, question)
    if link is not None:
        await visitor.ask("predictions of it", "GET", f"{link.headers['location']}/predictions")
    await _delete(visitor, name)


async def _delete(visitor: Visitor, name: str) -> None:
    if visitor.random.random() < 0.5:
        await visitor.ask("delete an upload", "DELETE", f"{MODELS}/{name}")
