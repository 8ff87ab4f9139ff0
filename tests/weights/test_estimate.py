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

from attnscope.errors import AttnscopeError
from attnscope.weights.estimate import LEAST, estimate
from attnscope.weights.formats import Limits
from attnscope.weights.upload import read_upload
from tests.safetensors_files import write_safetensors

pytestmark = pytest.mark.slow

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


def packed(arrays: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def safetensors(dtype: str, **metadata: str) -> Files:
    return [("w.safetensors", write_safetensors(MATRICES, metadata, dtype))]


def with_vocab(format: str) -> Files:
    embedding = np.zeros((ROWS, WIDTH), np.float16)
    if format == "npz":
        return npz("<f2", vocab=np.array(TEXTS), embedding=embedding)
    arrays: dict[str, np.ndarray] = {**MATRICES, "embedding": embedding}
    return [("w", write_safetensors(arrays, {"vocab": json.dumps(TEXTS)}, "float16"))]


def as_json(**more: object) -> Files:
    document = {name: array.round(3).tolist() for name, array in MATRICES.items()}
    return [("w.json", json.dumps({**document, **more}).encode())]


def mixed() -> Files:
    names = list(MATRICES)
    parts = zip(names, ("float64", "float16", "bfloat16"), strict=True)
    return [(n, write_safetensors({n: MATRICES[n]}, {}, dtype)) for n, dtype in parts]


FOREIGN: Files = [("w", write_safetensors({"a": MATRICES["w_q"].astype(np.float32)}, {}))]
FUSED = np.ones((WIDTH, 3 * WIDTH), np.float32)
FOREIGN_FUSED: Files = [("f", write_safetensors({"qkv": FUSED, "b": FUSED[0, :WIDTH]}, {}))]
BARE_ARRAYS = {"h.0.attn.c_attn.weight": FUSED, "h.0.attn.c_proj.weight": FUSED[:, :WIDTH].copy()}
BARE: dict[str, Files] = {
    "safetensors": [("w.safetensors", write_safetensors(BARE_ARRAYS, {}))],
    "npz": [("w.npz", packed(BARE_ARRAYS))],
}
PARTS: dict[str, object] = {
    name: {"tensor": "qkv", "slice": [None, [i * WIDTH, (i + 1) * WIDTH]]}
    for i, name in enumerate(MATRICES)
}
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
    **{f"attention of GPT-2 as {name}": (files, None) for name, files in BARE.items()},
    "a mapping": (FOREIGN, json.dumps(dict.fromkeys(MATRICES, "a"))),
    "a mapping of three parts": (FOREIGN_FUSED, json.dumps(PARTS)),
    "a mapping of few of many": (
        [*FOREIGN_FUSED, *safetensors("float32")], json.dumps({**PARTS, "b_q": "b"}),
    ),
    "a mapping that widens": ([*FOREIGN_FUSED, *mixed()[:1]], json.dumps(PARTS)),
    "a mapping that turns": (
        FOREIGN, json.dumps({name: {"tensor": "a", "transpose": True} for name in MATRICES}),
    ),
}  # fmt: skip


def test_an_upload_takes_no_more_than_the_estimate_and_not_far_less(
    subtests: pytest.Subtests,
) -> None:
    for what, (files, mapping) in UPLOADS.items():
        with subtests.test(what):
            estimated = estimate(files, mapping=mapping)
            tracemalloc.start()
            try:
                with suppress(AttnscopeError):
                    read_upload(files, mapping=mapping)
                most = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert most <= estimated <= 4 * most + LEAST


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


def test_a_mapping_of_many_layers_takes_what_it_names_and_no_more() -> None:
    """A checkpoint of a hundred layers is not a hundred copies of itself."""
    layers = {f"h.{i}.{n}": a[:32] for i in range(100) for n, a in MATRICES.items()}
    names = {f"layers.{i}.{n}": f"h.{i}.{n}" for i in range(100) for n in MATRICES}
    files = [("w", write_safetensors({n: a.astype(np.float32) for n, a in layers.items()}, {}))]
    size = len(files[0][1])
    assert estimate(files, mapping=json.dumps(names)) < 3 * size + LEAST


def test_a_header_that_lies_of_its_sizes_makes_nothing_cheaper(subtests: pytest.Subtests) -> None:
    for size in ("-5", "NaN", "1e400", '"x"', "null"):
        with subtests.test(size):
            header = (
                f'{{"a": {{"dtype": "F32", "shape": [{size}], "data_offsets": [0, 4]}}}}'.encode()
            )
            lying = [("w.safetensors", len(header).to_bytes(8, "little") + header + b"\0" * 4)]
            assert estimate(lying, mapping='{"w_q": "a"}') >= estimate(lying)


def test_a_mapping_that_means_nothing_is_estimated_all_the_same(subtests: pytest.Subtests) -> None:
    cases = [
        "{", "[]", '{"w_q": 1}', '{"w_q": {"tensor": "a", "slice": 3}}', '{"w_q": "absent"}',
        '{"w_q": {"tensor": "a", "slice": [["a", "b"], null]}}', '{"w_q": {"tensor": ["a"]}}',
        "[" * 9000,
    ]  # fmt: skip
    for mapping in cases:
        with subtests.test(mapping):
            assert estimate(FOREIGN, mapping=mapping) >= LEAST
