"""Good files with bytes turned, lost, doubled: they parse, or raise one of our errors."""

from __future__ import annotations

import io
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnscope.errors import AttnscopeError
from attnscope.storage.manifest import ReceivedUpload
from attnscope.weights.formats import Limits, WeightsFile
from attnscope.weights.layouts.mapping import apply_mapping
from attnscope.weights.upload import read_upload, reopen
from tests.safetensors_files import write_safetensors

ARRAYS = {name: np.arange(4.0).reshape(2, 2) for name in ("w_q", "w_k", "w_v", "embedding")}
VOCAB = ["猫", "eats"]


def npz(compressed: bool) -> bytes:
    file = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(file, vocab=np.array(VOCAB), num_heads=np.int64(2), **ARRAYS)  # type: ignore[arg-type]
    return file.getvalue()


JSON = json.dumps(
    {"num_heads": 1, "vocab": VOCAB, **{name: a.tolist() for name, a in ARRAYS.items()}}
).encode()
GOOD = {
    "w.safetensors": write_safetensors(ARRAYS, {"vocab": json.dumps(VOCAB)}, "float16"),
    "w.npz": npz(compressed=False),
    "packed.npz": npz(compressed=True),
    "w.json": JSON,
}
# Where to change, how much, and into what; characters that mean something come often.
BYTES = st.one_of(
    st.binary(max_size=8), st.sampled_from([b'"', b"[", b"]", b"{", b"}", b",", b"-", b"\xff" * 8])
)
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), BYTES), min_size=1, max_size=4)


def changed(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    for where, lost, new in changes:
        start = int(where * len(data))
        data = data[:start] + new + data[start + lost :]
    return data


def test_the_good_files_are_good(subtests: pytest.Subtests) -> None:
    for filename, good in GOOD.items():
        with subtests.test(filename):
            upload = read_upload([(filename, good)], num_heads=1)
            assert upload.vocab == ("猫", "eats")


@settings(max_examples=300)
@given(st.sampled_from(sorted(GOOD)), CHANGES)
def test_a_changed_file_parses_or_raises_one_of_our_errors(
    filename: str, changes: list[tuple[float, int, bytes]]
) -> None:
    with suppress(AttnscopeError):
        files = [(filename, changed(GOOD[filename], changes))]
        upload = read_upload(files)
        again = reopen(ReceivedUpload(files, upload.name), Limits())
        assert (again.name, again.arrays().keys()) == (upload.name, upload.arrays().keys())


def test_every_single_byte_may_turn(subtests: pytest.Subtests) -> None:
    for filename, good in GOOD.items():
        with subtests.test(filename):
            for place in range(len(good)):
                data = bytearray(good)
                data[place] ^= (0x01, 0x80, 0xFF)[place % 3]
                with suppress(AttnscopeError):
                    read_upload([(filename, bytes(data))])


@given(st.binary(max_size=64), st.sampled_from(["", "w.safetensors", "w.npz", "w.json", "w.pt"]))
def test_noise_raises_one_of_our_errors(data: bytes, filename: str) -> None:
    with pytest.raises(AttnscopeError):
        read_upload([(filename, data)])


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["w_q", "w_k", "w_v", "vocab", "num_heads"]), JSON_VALUES))
def test_any_json_value_parses_or_raises_one_of_our_errors(document: dict[str, object]) -> None:
    with suppress(AttnscopeError):
        read_upload([("w.json", json.dumps(document).encode())])


@given(
    st.dictionaries(
        st.sampled_from(["w_q", "layers.0.w_k", "embedding"]),
        JSON_VALUES
        | st.fixed_dictionaries(
            {"tensor": st.just("a")}, optional={"slice": JSON_VALUES, "transpose": JSON_VALUES}
        ),
    )
)
def test_any_mapping_is_followed_or_raises_one_of_our_errors(mapping: dict[str, object]) -> None:
    file = WeightsFile({"a": np.eye(3)}, {"a": "float64"}, {})
    with suppress(AttnscopeError):
        apply_mapping(json.dumps(mapping), file)
