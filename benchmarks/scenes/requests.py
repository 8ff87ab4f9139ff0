"""Small requests of large cost: arrays of texts, packed archives, unknown fields."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from attnscope.web.serializers.request import DEFAULT_TEXT
from benchmarks.scenes.outcome import (
    ATTENTION,
    MODELS,
    TRACES,
    Answer,
    Outcome,
    ask,
    check_rest,
    check_stop,
    large,
    watched,
)
from benchmarks.served import Served

BOUNDARY = "8f2d1c7e5b3a"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
MANY = 20_000
QUICK = 1.0  # seconds of a processor for a refusal
SHARDS, SHARD = 64, 85_000_000
VOCAB = 30_000_000

Start = Callable[..., Served]


def texts(length: int, count: int) -> bytes:
    """One long text and many empty ones: numpy would take length × count × 4 bytes."""
    return b'[["' + b"a" * length + b'"' + b',""' * count + b"]]"


def in_x(length: int, count: int) -> bytes:
    return b'{"x":' + texts(length, count) + b"}"


def in_matrix() -> bytes:
    model = b'{"source":"explicit","w_q":%s,"w_k":[[1]],"w_v":[[1]]}' % texts(72_000, MANY)
    return b'{"x":[[1]],"model":' + model + b"}"


def unknown_fields() -> bytes:
    fields = b"".join(b'"f%d":0,' % i for i in range(1_300_000))
    return b"{" + fields[:16_700_000].rpartition(b",")[0] + b',"text":"a"}'


def uneven_batch() -> bytes:
    """4,000 words and 20,000 of one: padded, 80 million places."""
    return json.dumps({"text": ["a " * 4000, *["a"] * MANY]}).encode()


def wrong_entries() -> bytes:
    return b'{"text":"a","blocked":[' + b'"a",' * 4_000_000 + b'"a"]}'


def nested() -> bytes:
    return b'{"x":' + b"[" * 8_000_000 + b"]" * 8_000_000 + b"}"


def multipart(*files: tuple[str, bytes]) -> bytes:
    body = b""
    for name, data in files:
        about = f'Content-Disposition: form-data; name="weights"; filename="{name}"'
        body += f"--{BOUNDARY}\r\n{about}\r\n\r\n".encode() + data + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
    return file.getvalue()


def many_texts() -> bytes:
    """30 million texts of one letter, which pack well."""
    eye = np.eye(4, dtype=np.float32)
    letters = np.full(VOCAB, "a", dtype="<U1")
    various = np.random.default_rng(0).integers(97, 122, 250_000, np.uint32)
    letters[:250_000] = various.view("<U1")  # else it is refused as a bomb
    return multipart(("w.npz", npz(w_q=eye, w_k=eye, w_v=eye, vocab=letters)))


def many_shards() -> bytes:
    """64 archives of less than half a megabyte; each unpacks to 85 MB."""
    row = np.zeros(SHARD, np.int8)
    row[:: SHARD // 300_000] = 1  # else it is refused as a bomb
    row[: 1 << 18] = np.random.default_rng(0).integers(0, 100, 1 << 18)
    shards = [(f"w{i}.npz", npz(**{f"tensor_{i}": row})) for i in range(SHARDS)]
    return multipart(*shards)


def texts_in_upload() -> bytes:
    matrix = texts(72_000, MANY)
    return multipart(("w.json", b'{"w_q":%s,"w_k":[[1]],"w_v":[[1]]}' % matrix))


# Path, body, headers; all must be refused.
REFUSED: dict[str, tuple[str, Callable[[], bytes], dict[str, str]]] = {
    "a long text among empty ones in `x`": (ATTENTION, lambda: in_x(72_000, MANY), {}),
    "the same with 12 MB": (ATTENTION, lambda: in_x(6_000_000, 2_000_000), {}),
    "the same in `w_q`": (ATTENTION, in_matrix, {}),
    "the same in an uploaded `.json`": (MODELS, texts_in_upload, MULTIPART),
    "16 MB of unknown fields": (ATTENTION, unknown_fields, {}),
    "16 MB of wrong entries in `blocked`": (ATTENTION, wrong_entries, {}),
    "16 MB of brackets": (ATTENTION, nested, {}),
    "one long text among 20,000 short ones": (ATTENTION, uneven_batch, {}),
    "`.npz` with 30 million texts": (MODELS, many_texts, MULTIPART),
    "64 shards that unpack to 85 MB each": (MODELS, many_shards, MULTIPART),
}


def refused(start: Start, folder: Path) -> Iterator[Outcome]:
    """Each on its own server, which answers before and after."""
    for number, (name, (path, make, headers)) in enumerate(REFUSED.items()):
        body = make()
        with start(folder / f"request{number}") as server:
            ask(server, "POST", ATTENTION, {"text": DEFAULT_TEXT})
            with watched(server, name) as outcome:
                answer = ask(server, "POST", path, body, headers)
            outcome.sent = len(body)
            outcome.answers.append(str(answer))
            outcome.must(400 <= answer.status < 500, f"{answer} is no refusal")
            outcome.must(outcome.busy <= QUICK, f"took {outcome.busy:.1f} s of a processor")
            check_rest(server, outcome)
        yield outcome


# Megabytes of a trace near the limit, and an analysis of it.
ANALYSES = {
    "precision of 490 MB": (490.0, "/precision"),
    "precision of 100 MB": (100.0, "/precision"),
    "decode of 100 MB": (100.0, "/decode"),
    "csv of 100 MB": (100.0, "/export?format=csv"),
    "json of 100 MB": (100.0, "/export?format=json"),
    "csv of 30 MB": (30.0, "/export?format=csv"),
}


def analyses(start: Start, folder: Path) -> Iterator[Outcome]:
    for number, (name, (megabytes, what)) in enumerate(ANALYSES.items()):
        with start(folder / f"analysis{number}") as server:
            answer = ask(server, "POST", TRACES, large(megabytes))
            if answer.status != 201:
                raise RuntimeError(f"no trace of {megabytes} MB: {answer}")
            address = f"{TRACES}/{json.loads(answer.body)['trace']}"
            with watched(server, name) as outcome:
                answer = ask(server, "GET", address + what, patience=120)
            outcome.sent = len(address + what)
            size = len(answer.body)
            size_text = f" ({size / 1e6:,.1f} MB)" if answer.status == 200 else ""
            outcome.answers.append(f"{answer}{size_text}")
            outcome.must(answer.allowed, f"{answer} is no answer and no refusal")
            check_rest(server, outcome)
        yield outcome


def long_question(start: Start, folder: Path) -> Iterator[Outcome]:
    """15 MB, read once, off the event loop."""
    rows = np.random.default_rng(0).random((1000, 2048)).round(4).tolist()
    narrow = [[0.5, 0.25]] * 2048
    model = {"source": "explicit", "w_q": narrow, "w_k": narrow, "w_v": narrow}
    body: dict[str, Any] = {"x": rows, "model": model}
    with start(folder / "long") as server:
        with watched(server, "a question of 15 MB, and 20 times its trace") as outcome:
            created = ask(server, "POST", TRACES, body)
            answers = [created] + [_again(server, created) for _ in range(20)]
        outcome.sent = len(json.dumps(body))
        outcome.answers += [str(answer) for answer in answers]
        outcome.must(all(answer.status in (200, 201) for answer in answers), "not all answered")
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def _again(server: Served, created: Answer) -> Answer:
    return ask(server, "GET", f"{TRACES}/{json.loads(created.body)['trace']}")
