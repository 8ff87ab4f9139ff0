"""What reading an upload may take is known before it is read: never less than it takes."""

from __future__ import annotations

import io
import json
import tracemalloc
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import AttnscopeError
from app.weights.estimate import LEAST, estimate
from app.weights.formats import Limits
from app.weights.upload import accept
from tests.safetensors_files import write_safetensors

WIDTH = 256
ROWS = 10_000
MATRICES = {
    name: np.random.default_rng(0).normal(size=(WIDTH, WIDTH)) for name in ("w_q", "w_k", "w_v")
}
TEXTS = [f"token {i}" for i in range(ROWS)]
Files = list[tuple[str, bytes]]


def npz(dtype: str, save: Any = np.savez, **more: Any) -> Files:
    file = io.BytesIO()
    save(file, **{name: array.astype(dtype) for name, array in MATRICES.items()}, **more)
    return [("w.npz", file.getvalue())]


def safetensors(dtype: str, **metadata: str) -> Files:
    return [("w.safetensors", write_safetensors(MATRICES, metadata, dtype))]


def with_vocab(format: str) -> Files:
    embedding = np.zeros((ROWS, WIDTH), np.float16)
    if format == "npz":
        return npz("<f2", vocab=np.array(TEXTS), embedding=embedding)
    arrays = {**MATRICES, "embedding": embedding}
    return [("w", write_safetensors(arrays, {"vocab": json.dumps(TEXTS)}, "float16"))]


def as_json(**more: object) -> Files:
    document = {name: array.round(3).tolist() for name, array in MATRICES.items()}
    return [("w.json", json.dumps({**document, **more}).encode())]


def mixed() -> Files:
    names = list(MATRICES)
    parts = zip(names, ("float64", "float16", "bfloat16"), strict=True)
    return [(n, write_safetensors({n: MATRICES[n]}, {}, dtype)) for n, dtype in parts]


FOREIGN: Files = [("w", write_safetensors({"a": MATRICES["w_q"].astype(np.float32)}, {}))]
UPLOADS: dict[str, tuple[Files, str | None]] = {
    **{f"safetensors of {d}": (safetensors(d), None) for d in ("float64", "float32", "bfloat16")},
    **{f"npz of {d}": (npz(d), None) for d in ("<f8", ">f4", "<f2")},
    "a packed npz": (npz("<f4", np.savez_compressed), None),
    "columns first": (npz("<f4", b_q=np.zeros(WIDTH, np.float32)), None),
    "json": (as_json(), None),
    "json with a vocab": (as_json(vocab=TEXTS[:500], embedding=[[0.5] * WIDTH] * 500), None),
    "an npz with a vocab": (with_vocab("npz"), None),
    "safetensors with a vocab": (with_vocab("safetensors"), None),
    "shards of three dtypes": (mixed(), None),
    "shards of three formats": ([*mixed()[1:2], *as_json(w_k=None, w_v=None), mixed()[2]], None),
    "a mapping": (FOREIGN, json.dumps(dict.fromkeys(MATRICES, "a"))),
    "a mapping that turns": (
        FOREIGN, json.dumps({name: {"tensor": "a", "transpose": True} for name in MATRICES}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UPLOADS)
def test_an_upload_takes_no_more_than_was_told_and_not_far_less(what: str) -> None:
    files, mapping = UPLOADS[what]
    told = estimate(files, mapping=mapping)
    tracemalloc.start()
    try:
        with suppress(AttnscopeError):
            accept(files, mapping=mapping)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most <= told <= 4 * most + LEAST


def test_nothing_takes_more_than_the_limit_and_the_least() -> None:
    limits = Limits(max_bytes=1, least_memory=1000)
    for files, mapping in UPLOADS.values():
        assert estimate(files, mapping=mapping, limits=limits) == LEAST + 1000


def test_a_file_that_is_none_takes_little() -> None:
    files = [("w.safetensors", b"\xff" * 100), ("w.npz", b"PK\3\4"), ("w.pt", b"\x80\2"), ("", b"")]
    assert estimate(files) < 2 * LEAST


GOOD = [data for name in ("npz of <f2", "json") for _, data in UPLOADS[name][0]]


@given(st.sampled_from(GOOD), st.floats(0, 1), st.binary(max_size=8))
def test_a_damaged_file_is_estimated_all_the_same(data: bytes, where: float, new: bytes) -> None:
    at = int(where * 4096)
    assert estimate([("w", data[:at] + new + data[at + 8 :][-4096:])]) >= LEAST
