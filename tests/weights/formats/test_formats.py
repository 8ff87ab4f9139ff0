"""Bytes to arrays and back, in every format: exact, whatever the order of bytes or axes."""

from __future__ import annotations

import io
import json
import struct
from itertools import product

import numpy as np
import pytest

from attnscope.errors import BadWeightsFile, NonFinite
from attnscope.weights.formats import (
    Budget,
    Limits,
    WeightsFile,
    read_weights,
    unpacked_size,
)
from attnscope.weights.formats.vocab import read_vocab
from tests.safetensors_files import write_safetensors

LIMITS = Limits()
MATRIX = np.array([[1.5, -2.0, 0.25], [3.0, 0.0, -7.5]])


def npz(compressed: bool = False, **arrays: object) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def safetensors(header: object, body: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def read(data: bytes, filename: str = "upload", limits: Limits = LIMITS) -> WeightsFile:
    return read_weights(filename, data, Budget(limits))


def refused(data: bytes, filename: str = "upload", limits: Limits = LIMITS) -> BadWeightsFile:
    with pytest.raises(BadWeightsFile) as error:
        read(data, filename, limits)
    return error.value


def test_safetensors_of_every_dtype_are_read_exactly(subtests: pytest.Subtests) -> None:
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        with subtests.test(dtype):
            data = write_safetensors({"w_q": MATRIX}, {"by": "hand", "num_heads": "3"}, dtype)
            file = read(data)
            assert file.dtypes == {"w_q": dtype}
            assert file.metadata == {"num_heads": "3"}
            assert file.arrays["w_q"].dtype == (np.float64 if dtype == "float64" else np.float32)
            np.testing.assert_array_equal(file.arrays["w_q"], MATRIX)


def test_bfloat16_is_the_upper_half_of_a_float32() -> None:
    header = {"w": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}
    file = read(safetensors(header, bytes.fromhex("803f 49c0")))
    assert file.arrays["w"].tolist() == [1.0, -3.140625]


def test_the_bytes_of_a_safetensors_file_are_the_ones_of_the_format() -> None:
    data = write_safetensors({"w": np.array([[1.0, 2.0]], np.float32)}, {})
    length = int.from_bytes(data[:8], "little")
    assert json.loads(data[8 : 8 + length])["w"] == {
        "dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8],
    }  # fmt: skip
    assert data[8 + length :] == bytes.fromhex("0000803f 00000040")


def test_integers_are_kept_and_named_for_a_layout_to_refuse() -> None:
    header = {"ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}
    file = read(safetensors(header, bytes(8)))
    assert file.dtypes == {"ids": "int64"}
    assert file.arrays["ids"].dtype.kind == "i"


def test_npz_of_any_byte_order_and_either_axis_first_is_read_exactly(
    subtests: pytest.Subtests,
) -> None:
    for dtype, compressed in product(("<f8", ">f8", "<f4", ">f4", "<f2", ">f2"), (False, True)):
        with subtests.test(dtype, compressed=compressed):
            arrays = {"w_q": MATRIX.astype(dtype), "w_k": np.asfortranarray(MATRIX.astype(dtype))}
            file = read(npz(compressed, **arrays))
            for array in file.arrays.values():
                np.testing.assert_array_equal(array, MATRIX)
                assert array.dtype in (np.float64, np.float32)
                assert array.dtype.isnative
                assert array.flags.c_contiguous
            assert set(file.dtypes.values()) == {np.dtype(dtype).name}


def test_npz_may_hold_a_vocab_and_the_number_of_heads(subtests: pytest.Subtests) -> None:
    for heads in (np.int64(2), np.array([2]), np.array([[2]], np.uint8)):
        with subtests.test(heads=heads):
            file = read(npz(w_q=MATRIX, vocab=np.array(["猫", "eats"]), num_heads=heads))
            assert file.arrays.keys() == {"w_q"}
            assert read_vocab(file.vocab, file.budget) == ("猫", "eats")
            assert file.metadata == {"num_heads": "2"}


def test_json_is_read_as_float64_with_vocab_and_heads_beside() -> None:
    text = """{"w_q": [[1, 2.5], [3e-3, -4]], "b_q": [0, 1], "w_o": null,
               "num_heads": 2, "vocab": ["a"]}"""
    file = read(b"\xef\xbb\xbf" + text.encode())
    assert file.arrays["w_q"].tolist() == [[1, 2.5], [0.003, -4]]
    assert file.arrays["b_q"].shape == (2,)
    assert file.arrays.keys() == {"w_q", "b_q"} == file.dtypes.keys()
    assert file.metadata == {"num_heads": "2"}
    assert file.vocab == ("a",)


def test_content_decides_before_the_name_does() -> None:
    assert read(npz(w_q=MATRIX), "weights.json").arrays.keys() == {"w_q"}
    assert read(b'{"w_q": [[1]]}', "weights.npz").arrays.keys() == {"w_q"}
    assert read(write_safetensors({"w": MATRIX}, {}), "weights.pt").arrays.keys() == {"w"}


def test_a_header_length_that_begins_like_json_or_a_pickle_is_still_safetensors() -> None:
    for first in (0x7B, 0x0280):
        header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})
        data = safetensors(header.encode().ljust(first), b"\0\0\x80\x3f")
        assert data[0] == first & 0xFF
        assert read(data).arrays["w"].tolist() == [1.0]


def test_nan_and_infinity_are_refused_with_their_place(subtests: pytest.Subtests) -> None:
    cases = [
        (b'{"w_q": [[1, 2], [NaN, 4]]}', [1, 0], "nan"),
        (b'{"b_q": [1, 1e999]}', [1], "inf"),
        (npz(w_q=np.array([[0.0], [-np.inf]])), [1, 0], "-inf"),
        (write_safetensors({"w": np.array([0, np.nan])}, {}, "bfloat16"), [1], "nan"),
    ]
    for data, index, value in cases:
        with subtests.test(data=data):
            with pytest.raises(NonFinite) as error:
                read(data)
            assert (error.value.values["index"], error.value.values["value"]) == (index, value)


def test_a_shape_that_does_not_make_its_bytes_is_refused_with_numbers() -> None:
    header = {"w": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 8]}}
    error = refused(safetensors(header, bytes(8)))
    assert error.reason == "size_mismatch"
    assert error.values == {"tensor": "w", "shape": [3, 2], "dtype": "float32", "bytes": 8}


def test_a_dtype_without_numbers_for_us_is_named() -> None:
    header = {"w": {"dtype": "F8_E4M3", "shape": [2], "data_offsets": [0, 2]}}
    error = refused(safetensors(header, b"ab"))
    assert (error.reason, error.values["dtype"]) == ("dtype_not_supported", "F8_E4M3")
    assert refused(npz(w=np.array([1j]))).reason == "dtype_not_supported"
    assert refused(npz(w=np.array(["1"]))).reason == "dtype_not_supported"
    bfloat16 = np.ones(3, np.uint16).view("V2")  # as ml_dtypes has it saved
    error = refused(npz(w=bfloat16))
    assert (error.reason, error.values["dtype"]) == ("nameless_dtype", "|V2")


def test_limits_hold_in_every_format(subtests: pytest.Subtests) -> None:
    cases = [
        (Limits(max_bytes=64), "too_many_bytes"),
        (Limits(max_tensors=1), "too_many_tensors"),
        (Limits(max_name_length=2), "name_length"),
        (Limits(max_axes=1), "too_many_axes"),
    ]
    for format, (limits, reason) in product(("safetensors", "npz", "json"), cases):
        with subtests.test(format, limits=limits):
            arrays = {"w_q": MATRIX, "w_k": MATRIX}
            as_json = json.dumps(
                {name: array.tolist() for name, array in arrays.items()} | {"a": None}
            )
            data = {
                "safetensors": write_safetensors(arrays, {}),
                "npz": npz(False, **arrays),
                "json": as_json.encode(),
            }[format]
            if reason == "name_length" and format == "npz":
                limits = Limits(max_name_length=len("w_q.npy") - 1)
            error = refused(data, limits=limits)
            assert error.reason == reason
            assert "limit" in error.values


def test_what_a_file_unpacks_to_is_known_before_it_is_unpacked() -> None:
    data = npz(compressed=True, w_q=np.arange(100_000) % 7 * 0.5)
    assert len(data) < 10_000
    assert 800_000 < unpacked_size("w", data, LIMITS) < 801_000
    assert unpacked_size("w", data[:-30], LIMITS) == 0
    assert unpacked_size("w.json", b"{}", LIMITS) == 2


def test_json_has_a_limit_of_its_own() -> None:
    assert refused(b'{"w": [1]}', limits=Limits(max_json_bytes=5)).reason == "json_too_large"


def test_a_lone_array_and_an_unknown_file_are_told_apart() -> None:
    file = io.BytesIO()
    np.save(file, MATRIX)
    assert refused(file.getvalue(), "w.npy").reason == "lone_npy"
    assert refused(b"GGUF\x03\0\0\0", "model.gguf").reason == "unknown_format"
