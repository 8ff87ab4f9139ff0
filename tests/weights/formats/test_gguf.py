"""Headers of .gguf files: read exactly, and every lie named before it costs anything."""

from __future__ import annotations

import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import gguf
import numpy as np
import pytest

from attnscope.errors import BadWeightsFile
from attnscope.web.texts import filled
from attnscope.weights.formats.gguf_file import Header, read_header
from attnscope.weights.formats.gguf_number_formats import READ, TOGETHER, kinds
from attnscope.weights.formats.gguf_tensors import map_gguf
from tests.gguf_files import array, entry, header, key, text, write_gguf
from tests.test_repo import messages

pytestmark = pytest.mark.slow

U8, U32, F32, BOOL, TEXT, U64, F64 = 0, 4, 6, 7, 8, 10, 12
ONE = entry("w", [8])  # eight numbers of float32
BODY = bytes(32)
HUGE = (1 << 64) - 1
MIB = 1 << 20


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def read(data: bytes) -> Header:
    return read_header(memoryview(data), "model.gguf")


def refusal_of(ask: Callable[[], object]) -> BadWeightsFile:
    """What is refused, in sentences that are there."""
    with pytest.raises(BadWeightsFile) as refused:
        ask()
    error = refused.value
    for language in ("en", "zh"):
        sentence = messages(language)[f"errors.bad_weights_file.{error.reason}"]
        assert "{" not in filled(language, sentence, {"at": error.at, **error.values})
    return error


def test_values_of_every_type_are_read() -> None:
    keys = [
        key(f"n{number}", number, np.array(3, dtype).tobytes())
        for number, dtype in {0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4",
                              10: "<u8", 11: "<i8"}.items()
    ]  # fmt: skip
    keys += [
        key("f", F32, struct.pack("<f", 1e-5)), key("d", F64, struct.pack("<d", 1e-5)),
        key("b", BOOL, b"\1"), key("t", TEXT, text("é 中")),
        array("ts", TEXT, 3, text("a") + text("") + text("中")),
        array("ns", F32, 2, struct.pack("<2f", 0.5, -2)), array("empty", TEXT, 0, b""),
    ]  # fmt: skip
    found = read(header(keys, [ONE], BODY)).metadata
    assert {found.whole(f"n{number}") for number in (0, 1, 2, 3, 4, 5, 10, 11)} == {3}
    assert (found.number("f"), found.number("d")) == (1e-5, 1e-5)
    assert (found.flag("b"), found.text("t"), found.texts("ts")) == (True, "é 中", ["a", "", "中"])
    assert found.numbers("ns").tolist() == [0.5, -2]
    assert found.texts("empty") == []
    assert (found.whole("no", 7), found.text("no", "x"), found.flag("no", True)) == (7, "x", True)


def test_a_file_of_the_gguf_package_is_read_as_it_was_written(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    tensors = {"a": draw.normal(size=(3, 5, 32)), "b": draw.normal(size=7)}
    tensors = {name: one.astype(np.float32) for name, one in tensors.items()}
    path = write_gguf(tmp_path / "a.gguf", "any", {"x": 3, "words": ["a", "b"]}, tensors)
    found = map_gguf(path)
    assert found.header.metadata.text("general.architecture") == "any"
    assert found.header.metadata.texts("words") == ["a", "b"]
    assert dict(found).keys() == tensors.keys()
    for name, one in tensors.items():
        np.testing.assert_array_equal(found[name], one)
        assert not found[name].flags.owndata  # mapped, not copied


NESTED = array("a", 9, 1, struct.pack("<IQ", U8, 1) + b"\0")
LIES = {
    "gguf_magic": header([], [ONE], BODY, magic=b"GGML"),
    "gguf_big_endian": header([], [ONE], BODY, version=3 << 24),
    "gguf_version": header([], [ONE], BODY, version=1),
    "gguf_no_tensors": header([], []),
    "gguf_too_many": header([], [ONE], BODY, tensor_count=HUGE),
    "gguf_too_many keys": header([], [ONE], BODY, key_count=HUGE),
    "gguf_truncated keys": header([], [ONE], BODY, key_count=1000),
    "gguf_truncated tensors": header([], [ONE], BODY, tensor_count=4000),
    "gguf_truncated text": header([key("a", TEXT, u64(HUGE))], [ONE], BODY),
    "gguf_truncated array": header([array("a", F64, HUGE, b"")], [ONE], BODY),
    "gguf_truncated texts": header([array("a", TEXT, 3, text("a") + u64(1 << 63))], [ONE], BODY),
    "gguf_too_many texts": header([array("a", TEXT, HUGE, b"")], [ONE], BODY),
    "gguf_truncated tensor": header([], [entry("w", [9])], BODY),
    "gguf_truncated sizes": header([], [entry("w", [1 << 63, 1 << 63, 1 << 63])], BODY),
    "gguf_name": header([u64(HUGE)], [ONE], BODY),
    "gguf_name empty": header([key("", U8, b"\0")], [ONE], BODY),
    "gguf_name bytes": header([text(b"\xff\xfe") + u32(U8) + b"\0"], [ONE], BODY),
    "gguf_name way out": header([], [entry("../w", [8])], BODY),
    "gguf_name_twice": header([key("a", U8, b"\0")] * 2, [ONE], BODY),
    "gguf_name_twice tensor": header([], [ONE, entry("w", [8], offset=32)], BODY * 2),
    "gguf_nested": header([NESTED], [ONE], BODY),
    "gguf_type": header([key("a", 13, b"\0")], [ONE], BODY),
    "gguf_type of an array": header([array("a", 99, 0, b"")], [ONE], BODY),
    "gguf_alignment": header([key("general.alignment", U32, u32(33))], [ONE], BODY),
    "gguf_alignment none": header([key("general.alignment", U32, u32(0))], [ONE], BODY),
    "gguf_truncated alignment": header([key("general.alignment", U32, u32(1 << 31))], [ONE], BODY),
    "gguf_value": header([key("general.alignment", TEXT, text("32"))], [ONE], BODY),
    "gguf_axes": header([], [entry("w", [1, 2, 2, 1, 2])], BODY),
    "gguf_axes none": header([], [entry("w", [])], BODY),
    "gguf_axes many": header([], [text("w") + u32(1 << 31)], bytes(64)),
    "empty_tensor": header([], [entry("w", [8, 0])], BODY),
    "gguf_kind": header([], [entry("w", [256], kind=9)], bytes(128)),
    "gguf_kind old": header([], [entry("w", [8], kind=4)], BODY),
    "gguf_blocks": header([], [entry("w", [33], kind=8)], bytes(64)),
    "gguf_overlap": header([], [ONE, entry("v", [8], offset=0)], BODY * 2),
    "gguf_overlap inside": header([], [entry("w", [9]), entry("v", [8], offset=32)], BODY * 3),
    "gguf_gap": header([], [ONE, entry("v", [8], offset=64)], BODY * 3),
    "gguf_gap before": header([], [entry("w", [8], offset=32)], BODY * 2),
    "gguf_gap unaligned": header([], [ONE, entry("v", [8], offset=33)], BODY * 3),
    "gguf_gap far": header([], [ONE, entry("v", [8], offset=HUGE)], BODY),
}  # fmt: skip


def test_every_lie_is_named(subtests: pytest.Subtests) -> None:
    for lie, data in LIES.items():
        with subtests.test(lie):
            assert refusal_of(partial(read, data)).reason == lie.split()[0]


def test_a_kind_that_is_not_read_is_named() -> None:
    error = refusal_of(lambda: read(LIES["gguf_kind"]))
    assert error.values["kind"] == "Q8_1"
    assert "Q4_K" in str(error.values["known"])


def test_a_value_of_another_type_is_refused() -> None:
    keys = [key("n", U32, u32(1)), key("t", TEXT, text("1")), key("b", BOOL, b"\1"),
            key("inf", F32, struct.pack("<f", np.inf)), array("ts", TEXT, 1, text("a")),
            array("bad", TEXT, 1, text(b"\xff"))]  # fmt: skip
    found = read(header(keys, [ONE], BODY)).metadata
    for ask in (lambda: found.text("n"), lambda: found.whole("t"), lambda: found.whole("b"),
                lambda: found.flag("n"), lambda: found.number("n"), lambda: found.number("inf"),
                lambda: found.text("ts"), lambda: found.texts("t"), lambda: found.numbers("ts"),
                lambda: found.numbers("n")):  # fmt: skip
        assert refusal_of(ask).reason == "gguf_value"
    assert refusal_of(lambda: found.texts("bad")).reason == "gguf_text"
    assert refusal_of(lambda: found.whole("no")).reason == "gguf_no_key"


def test_a_file_cut_short_or_bent_anywhere_is_refused_or_lies_within_itself() -> None:
    keys = [
        key("general.architecture", TEXT, text("llama")), key("general.alignment", U32, u32(32)),
        array("tokens", TEXT, 4, b"".join(map(text, ["a", "b", "é", ""]))),
        array("scores", F32, 2, struct.pack("<2f", 1, 2)), key("e", F32, struct.pack("<f", 1)),
    ]  # fmt: skip
    whole = header(keys, [ONE, entry("v", [32, 2], kind=8, offset=32)], BODY + bytes(96))
    read(whole)
    size = len(whole) - 128 - 96
    for end in range(size):
        check_bytes(whole[:end], must=True)
    for at in range(size):
        for value in (0, 1, 0x7F, 0x80, 0xFF, whole[at] ^ 1):
            check_bytes(whole[:at] + bytes([value]) + whole[at + 1 :], must=False)


def check_bytes(data: bytes, *, must: bool) -> None:
    try:
        found = read(data)
    except BadWeightsFile:
        return
    assert not must
    for one in found.tensors.values():
        assert 0 <= one.begin < one.end <= len(data)
    for name in found.metadata:
        for ask in (found.metadata.texts, found.metadata.numbers, found.metadata.text):
            with suppress(BadWeightsFile):
                ask(name)


HOSTILE = {
    "texts of nothing": array("a", TEXT, MIB // 8 - 64, bytes(MIB - 512)),
    "texts of a letter": array("a", TEXT, MIB // 9 - 64, text("a") * (MIB // 9 - 64)),
    "one long text": key("a", TEXT, text(bytes(MIB))),
    "many keys": b"".join(key(f"k{i}", U8, b"\0") for i in range(1024)),
    "a count that lies": array("a", TEXT, HUGE, bytes(MIB)),
    "arrays in arrays": key("a", 9, struct.pack("<IQ", 9, 1) * (MIB // 12)),
    "a long name": text("a" * MIB),
}


def test_a_hostile_megabyte_costs_less_than_itself(subtests: pytest.Subtests) -> None:
    for kind in HOSTILE:
        with subtests.test(kind):
            count = 1024 if kind == "many keys" else 1
            data = header([HOSTILE[kind]], [ONE], BODY + bytes(MIB), key_count=count)
            read(header([], [ONE], BODY))  # the gguf package is imported
            tracemalloc.start()
            try:
                start = time.process_time()
                with suppress(BadWeightsFile):
                    read(data)
                seconds = time.process_time() - start
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < MIB
            assert seconds < 0.9


def test_as_many_tensors_as_are_read_at_most_cost_little() -> None:
    entries = [entry(f"w{i}", [8], offset=32 * i) for i in range(4096)]
    data = header([], entries, BODY * 4096)
    tracemalloc.start()
    try:
        assert len(read(data).tensors) == 4096
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


def test_sizes_of_kinds_are_those_of_the_file_format() -> None:
    assert {kind.name for kind in kinds().values()} == set(READ)
    found = {kind.name: (kind.block, kind.bytes) for kind in kinds().values()}
    assert found == {
        "F32": (1, 4), "F16": (1, 2), "BF16": (1, 2), "Q8_0": (32, 34), "Q4_0": (32, 18),
        "Q4_1": (32, 20), "Q5_0": (32, 22), "Q5_1": (32, 24), "Q2_K": (256, 84),
        "Q3_K": (256, 110), "Q4_K": (256, 144), "Q5_K": (256, 176), "Q6_K": (256, 210),
        "IQ1_S": (256, 50), "IQ1_M": (256, 56), "IQ2_XXS": (256, 66), "IQ2_XS": (256, 74),
        "IQ2_S": (256, 82), "IQ3_XXS": (256, 98), "IQ3_S": (256, 110), "IQ4_NL": (32, 18),
        "IQ4_XS": (256, 136), "TQ1_0": (256, 54), "TQ2_0": (256, 66), "MXFP4": (32, 17),
    }  # fmt: skip


def test_numbers_come_back_within_a_step(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases = [
        ("F16", 2048), ("BF16", 256), ("Q8_0", 127), ("Q4_0", 8), ("Q4_1", 8), ("Q5_0", 16),
        ("Q5_1", 16),
    ]  # fmt: skip
    for kind, steps in cases:
        with subtests.test(kind):
            draw = np.random.default_rng(1)
            exact = draw.normal(size=(70, 64)).astype(np.float32)
            found = map_gguf(write_gguf(tmp_path / kind, "any", {}, {"w": exact}, kind))
            assert {one.kind.name for one in found.header.tensors.values()} == {kind}
            largest = np.abs(exact.reshape(70, 2, 32)).max(axis=-1).repeat(32).reshape(exact.shape)
            error = np.abs(found["w"] - exact)
            assert (error <= 1.02 * largest / steps).all()
            assert error.max() > 0
            number = gguf.GGMLQuantizationType[kind]
            stored = gguf.quants.quantize(exact, number)
            np.testing.assert_array_equal(found["w"], gguf.quants.dequantize(stored, number))


def test_smaller_kinds_are_made_numbers_as_the_gguf_package_makes_them(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    draw = np.random.default_rng(2)
    for kind in kinds().values():
        if not kind.name.startswith(("IQ", "TQ", "MX")):
            continue
        with subtests.test(kind.name):
            rows = draw.integers(0, 256, (3, 512 // kind.block * kind.bytes), np.uint8)
            path = tmp_path / f"{kind.name}.gguf"
            path.write_bytes(header([], [entry("w", [512, 3], kind.number)], rows.tobytes()))
            number = gguf.GGMLQuantizationType(kind.number)
            with np.errstate(all="ignore"):
                wanted = gguf.quants.dequantize(rows, number)
            np.testing.assert_array_equal(map_gguf(path)["w"], wanted)


def test_numbers_of_iq4_nl_stand_in_its_table(tmp_path: Path) -> None:
    (kind,) = (kind for kind in kinds().values() if kind.name == "IQ4_NL")
    block = half(2) + bytes([0x80] * 16)  # the lowest of the table, −127, and the ninth, 1
    path = tmp_path / "a.gguf"
    path.write_bytes(header([], [entry("w", [32], kind.number)], block))
    assert map_gguf(path)["w"].tolist() == [-254.0] * 16 + [2.0] * 16


def half(value: float) -> bytes:
    return np.float16(value).tobytes()


def blocks_by_hand() -> dict[str, tuple[bytes, np.ndarray]]:
    """A block of each K kind in which every number has the scale 1 or 2, and what it means."""
    same = np.ones(256)
    return {
        # 16 scales of 4 bits with 4 bits of a minimum, numbers of 2 bits: d·s·q − m·s′
        "Q2_K": (bytes([0x31] * 16) + bytes([0b10101010] * 64) + half(1) + half(0.5),
                 same * (1 * 1 * 2 - 0.5 * 3)),
        # highest bit of the numbers (clear: 4 less), lower two, scales of 6 bits with 32 added
        "Q3_K": (bytes([0xFF] * 32) + bytes([0b11111111] * 64) + bytes([0x11] * 8)
                 + bytes([0b10101010] * 4) + half(2), same * (2 * (0b100001 - 32) * 3)),
        # d, minimum, scales of 6 bits (here below 16 all), numbers of 4 bits
        "Q4_K": (half(2) + half(1) + bytes([3] * 4) + bytes([1] * 4) + bytes([0x13] * 4)
                 + bytes([0x77] * 128), same * (2 * 3 * 7 - 1)),
        "Q5_K": (half(2) + half(1) + bytes([3] * 4) + bytes([1] * 4) + bytes([0x13] * 4)
                 + bytes([0xFF] * 32) + bytes([0x77] * 128), same * (2 * 3 * (7 + 16) - 1)),
        # lower four bits, upper two, scales of 8 bits with their sign, d; 32 is taken away
        "Q6_K": (bytes([0x55] * 128) + bytes([0b11111111] * 64) + bytes([0xFE] * 16) + half(0.5),
                 same * (0.5 * -2 * (0x35 - 32))),
    }  # fmt: skip


def test_blocks_of_the_k_kinds_mean_what_the_format_says(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name in [name for name in READ if name.endswith("K")]:
        with subtests.test(name):
            block, wanted = blocks_by_hand()[name]
            kind = next(kind for kind in kinds().values() if kind.name == name)
            assert len(block) == kind.bytes
            rows = 3
            path = tmp_path / f"{name}.gguf"
            path.write_bytes(header([], [entry("w", [512, rows], kind.number)], block * 2 * rows))
            np.testing.assert_array_equal(map_gguf(path)["w"], np.tile(wanted, (rows, 2)))


def test_large_tensors_are_made_in_parts(tmp_path: Path) -> None:
    few = np.random.default_rng(2).normal(size=(41, 4096)).astype(np.float32)
    many = np.tile(few, (26, 1))
    assert many.size > TOGETHER
    made = [
        map_gguf(write_gguf(tmp_path / f"{len(one)}.gguf", "any", {}, {"w": one}, "Q8_0"))["w"]
        for one in (few, many)
    ]
    np.testing.assert_array_equal(made[1], np.tile(made[0], (26, 1)))


def test_a_server_without_such_a_file_does_not_wait_for_the_package() -> None:
    code = "import sys, attnscope.installed.model_registry; assert 'gguf' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_empty_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"")
    assert refusal_of(lambda: map_gguf(path)).reason == "gguf_magic"
