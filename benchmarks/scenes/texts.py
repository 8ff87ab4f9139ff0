"""Texts that take long to split, and tokenizers of large cost."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from safetensors.numpy import save

from benchmarks.scenes.outcome import (
    ATTENTION,
    MODELS,
    Answer,
    Outcome,
    ask,
    check_rest,
    check_stop,
    watched,
)
from benchmarks.scenes.requests import BOUNDARY, MULTIPART, Start
from benchmarks.served import MIB, Served
from tests.families.made import GPT2, gpt2_tensors
from tests.hostile import sockets
from tests.tokenizer_files import definition, special, template, text, unigram

BESIDE = 200 * MIB  # of memory, for such a text or file
CONFIG = {**GPT2, "vocab_size": 1100}
NFKC = {"type": "NFKC"}
EMPTY = {"type": "Replace", "pattern": {"String": ""}, "content": "b"}
TOKENIZERS: dict[str, bytes] = {
    "Unigram pieces of 999 letters": definition(model=unigram(999)),
    "Unigram pieces of 64 letters": definition(model=unigram(64)),
    "a template of 3,000 × 3,000 tokens": definition(
        post_processor=template([5] * 3000, [text("A"), *[special()] * 3000])
    ),
    "13 replacements of nothing": definition(
        normalizer={"type": "Sequence", "normalizers": [EMPTY] * 13}
    ),
    "NFKC": definition(normalizer=NFKC),
}
ASKED = {
    "Unigram pieces of 999 letters": "a" * 30_000, "Unigram pieces of 64 letters": "a" * 900_000,
    "a template of 3,000 × 3,000 tokens": "a", "13 replacements of nothing": "a" * 600,
    "NFKC": "\ufdfa" * 300_000,
}  # fmt: skip


def upload(tokenizer: bytes) -> bytes:
    files = {"weights": ("model.safetensors", save(gpt2_tensors(CONFIG))),
             "config": ("config.json", json.dumps(CONFIG).encode()),
             "tokenizer": ("tokenizer.json", tokenizer)}  # fmt: skip
    body = b""
    for field, (name, data) in files.items():
        about = f'Content-Disposition: form-data; name="{field}"; filename="{name}"'
        body += f"--{BOUNDARY}\r\n{about}\r\n\r\n".encode() + data + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def tokenizers(start: Start, folder: Path) -> Iterator[Outcome]:
    """Each gets one text, and another under SIGTERM."""
    for name, tokenizer in TOKENIZERS.items():
        with start(folder / name[:12]) as server:
            rest = server.resident()
            with watched(server, name) as outcome:
                form = upload(tokenizer)
                sent = ask(server, "POST", MODELS, form, MULTIPART)
                outcome.sent, outcome.answers = len(form), [str(sent)]
                model = json.loads(sent.body).get("id") if sent.body else None
                question = {"text": ASKED[name], "model": {"source": "uploaded", "id": model}}
                if model:
                    _record(outcome, _one(server, question))
                    outcome.sent += len(orjson.dumps(question))
            _check(server, outcome, rest, question if model else None)
        yield outcome


def long_texts(start: Start, folder: Path) -> Iterator[Outcome]:
    """20 texts of 1 MB at once to a model of 256 tokens."""
    body = {"text": " the" * 250_000, "model": {"source": "installed", "name": "echo"}}
    with start(folder / "long_texts") as server:
        rest = server.resident()
        with watched(server, "20 texts of 1 MB to echo") as outcome:
            asking = [threading.Thread(target=lambda: _record(outcome, _one(server, body)))
                      for _ in range(20)]  # fmt: skip
            for thread in asking:
                thread.start()
            for thread in asking:
                thread.join()
            outcome.sent = 20 * len(orjson.dumps(body))
        _check(server, outcome, rest, body)
    yield outcome


def hasty(start: Start, folder: Path) -> Iterator[Outcome]:
    """60 send a text of 1 MB and disconnect; one exports three tokens."""
    body = orjson.dumps({"text": "a" * 1_000_000, "tokenizer": "characters"})
    with start(folder / "hasty") as server:
        rest = server.resident()
        three = ask(server, "POST", "/api/v1/traces", {"text": "The cat sat"})
        path = f"/api/v1/traces/{json.loads(three.body)['trace']}/export?format=npz"
        with watched(server, "60 texts of 1 MB whose callers leave") as outcome:
            for _ in range(60):
                with sockets.connect(server.port) as connection:
                    connection.sendall(sockets.get(ATTENTION, "POST", body))
            outcome.sent = 60 * len(body)
            real = ask(server, "GET", path)
            outcome.answers.append(f"an export {real} in {real.seconds:.1f} s")
            _until_idle(server)
        _check(server, outcome, rest, None)
    yield outcome


def _one(server: Served, body: dict[str, Any]) -> Answer:
    return ask(server, "POST", ATTENTION, body)


def _record(outcome: Outcome, answer: Answer) -> None:
    outcome.answers.append(str(answer))
    outcome.must(answer.allowed, f"got {answer}")


def _until_idle(server: Served, seconds: float = 90.0) -> None:
    end, before = time.monotonic() + seconds, server.busy()
    while time.monotonic() < end:
        time.sleep(1.0)
        now = server.busy()
        if now - before < 0.2:
            return
        before = now


def _check(server: Served, outcome: Outcome, rest: int, again: dict[str, Any] | None) -> None:
    beside = (outcome.peak - rest) // MIB
    outcome.must(beside <= BESIDE // MIB, f"{beside} MB beside the server")
    check_rest(server, outcome)
    if again is not None:
        threading.Thread(target=_one, args=(server, again), daemon=True).start()
        time.sleep(0.5)
    check_stop(server, outcome)
