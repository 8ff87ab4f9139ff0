"""Small uploads of large cost: thousands of layers, tensors, tokens."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from benchmarks.clients.uploads import MULTIPART, form
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
from benchmarks.served import MIB, Served
from tests.families.made import GPT2, gpt2_tensors
from tests.tokenizer_files import definition

LAYERS = 8000
DEPTH, SHARDS = 1024, 4  # the most layers of a config: 4,096 tensors in a file
BESIDE = 200 * MIB  # of memory, for each upload
LARGEST_PAGE = 1_000_000  # bytes
TOGETHER, PIECES = 4, 50_000  # such a tokenizer takes 2 to 3 MB
ONE = np.ones((1, 1), np.float32)

Start = Callable[..., Served]


def many_layers(start: Start, folder: Path) -> Iterator[Outcome]:
    """One matrix of 1 × 1 named for 8,000 layers; a question uses all."""
    mapping = {f"layers.{i}.{name}": "w" for i in range(LAYERS) for name in ("w_q", "w_k", "w_v")}
    body = form([("weights", "w.safetensors", save({"w": ONE})),
                 ("mapping", None, json.dumps(mapping).encode())])  # fmt: skip
    with start(folder / "layers") as server:
        model_id = _sent(server, body)
        question = {"text": "a", "stages": ["output"], "layers": [0],
                    "model": {"source": "uploaded", "id": model_id}}  # fmt: skip
        with watched(server, f"a question to {LAYERS:,} layers of 1 × 1") as outcome:
            outcome.sent = len(json.dumps(question))
            _add(outcome, ask(server, "POST", ATTENTION, question))
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def many_tensors(start: Start, folder: Path) -> Iterator[Outcome]:
    """The most tensors of an upload, in shards, and their pages."""
    config = {**GPT2, "vocab_size": 8, "n_embd": 1, "n_head": 1, "n_layer": DEPTH}
    tensors = gpt2_tensors(config)
    total = len(tensors)
    shards = [save({name: tensors[name] for name in names.tolist()})
              for names in np.array_split(np.array(list(tensors)), SHARDS)]  # fmt: skip
    files = [("weights", f"w{i}.safetensors", shard) for i, shard in enumerate(shards)]
    body = form([*files, ("config", "config.json", json.dumps(config).encode()),
                 ("tokenizer", "tokenizer.json", definition())])  # fmt: skip
    with start(folder / "tensors") as server:
        with watched(server, f"an upload of {total:,} tensors") as sent:
            answer = ask(server, "POST", MODELS, body, MULTIPART)
            sent.sent = len(body)
            _add(sent, answer)
        yield sent
        address = f"{MODELS}/{json.loads(answer.body)['id']}"
        with watched(server, "what is said of it, and of its last tensors") as outcome:
            for path in (address, f"{address}?tensors={total - 1000}:{total}"):
                page = ask(server, "GET", path)
                _add(outcome, page, f"{len(page.body):,} bytes in {page.seconds:.2f} s")
                outcome.must(len(page.body) <= LARGEST_PAGE, f"{len(page.body):,} bytes")
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def four_tokenizers(start: Start, folder: Path) -> Iterator[Outcome]:
    """Four models at once, each with its tokenizer."""
    for name, make in (("BPE", _bpe), ("Unigram", _unigram)):
        bodies = [_model(make(random.Random(seed))) for seed in range(TOGETHER)]
        with start(folder / name) as server:
            rest = server.all_resident()
            with watched(server, f"{TOGETHER} models of {PIECES:,} {name} pieces") as outcome:
                with ThreadPoolExecutor(TOGETHER) as pool:
                    answers = list(
                        pool.map(lambda body: ask(server, "POST", MODELS, body, MULTIPART), bodies)
                    )
                outcome.sent = sum(map(len, bodies))
                beside = (server.all_resident() - rest) // MIB
                for answer in answers:
                    _add(outcome, answer)
                outcome.answers.append(f"{beside} MB held in all processes")
                outcome.must(beside <= TOGETHER * BESIDE // MIB, f"{beside} MB are held")
            check_rest(server, outcome)
            check_stop(server, outcome)
        yield outcome


def _add(outcome: Outcome, answer: Answer, said: str = "") -> None:
    outcome.answers.append(f"{answer} {said}".strip())
    outcome.must(answer.allowed, f"got {answer}")


def _sent(server: Served, body: bytes) -> str:
    answer = ask(server, "POST", MODELS, body, MULTIPART)
    assert answer.status == 201, answer
    name: str = json.loads(answer.body)["id"]
    return name


def _model(parts: dict[str, Any]) -> bytes:
    config = {**GPT2, "vocab_size": PIECES, "n_embd": 3}
    return form([
        ("weights", "model.safetensors", save(gpt2_tensors(config))),
        ("config", "config.json", json.dumps(config).encode()),
        ("tokenizer", "tokenizer.json", definition(model=parts)),
    ])  # fmt: skip


def _words(draw: random.Random) -> list[str]:
    """Almost as many as a model has tokens."""
    words = {"".join(draw.choices(string.ascii_lowercase, k=12)) for _ in range(PIECES - 100)}
    return sorted(words)


def _unigram(draw: random.Random) -> dict[str, Any]:
    pieces = [["[UNK]", 0.0], *([letter, -5.0] for letter in string.ascii_lowercase)]
    return {"type": "Unigram", "unk_id": 0,
            "vocab": [*pieces, *([word, -9.0] for word in _words(draw))]}  # fmt: skip


def _bpe(draw: random.Random) -> dict[str, Any]:
    """Every token is an earlier one and a letter."""
    pieces, merges = list(string.ascii_lowercase), []
    known = set(pieces)
    while len(pieces) < PIECES - 100:
        pair = draw.choice(pieces), draw.choice(string.ascii_lowercase)
        made = "".join(pair)
        if made not in known:
            known.add(made)
            pieces.append(made)
            merges.append(list(pair))
    vocab = {piece: i for i, piece in enumerate(["[UNK]", *pieces])}
    return {"type": "BPE", "dropout": None, "unk_token": "[UNK]", "fuse_unk": False,
            "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "byte_fallback": False, "vocab": vocab, "merges": merges}  # fmt: skip
