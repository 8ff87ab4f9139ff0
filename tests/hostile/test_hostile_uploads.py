"""Uploads that are small as they are sent and large in memory: counted before anything is made,
all files of one upload together."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.errors import AttnscopeError
from attnscope.weights.estimate import estimate
from attnscope.weights.formats import Limits
from attnscope.weights.upload import Upload, read_upload
from tests.safetensors_files import write_safetensors

MIB = 2**20
EYE = {name: np.eye(4, dtype=np.float32) for name in ("w_q", "w_k", "w_v")}
SMALL = Limits(max_bytes=64 * MIB, least_memory=0)  # and so 256 MiB of memory
Files = list[tuple[str, bytes]]


def npz(**arrays: Any) -> bytes:
    """Packed, but never 200 times: that would be suspected as it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return file.getvalue()


def packable(dtype: str, size: int) -> np.ndarray:
    """Numbers that pack about a hundred times."""
    array = np.zeros(size, dtype)
    step = 320 // array.itemsize
    array[::step] = np.random.default_rng(0).integers(1, 9, array[::step].size)
    return array


def refusal(
    files: Files, limits: Limits | None = None, mapping: str | None = None
) -> tuple[str, int]:
    """The reason, and the most memory that was taken."""
    tracemalloc.start()
    try:
        with pytest.raises(AttnscopeError) as error:
            read_upload(files, limits=limits, mapping=mapping)
        return error.value.reason, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def taken(files: Files, limits: Limits) -> tuple[Upload, int]:
    """The upload, and the memory that it keeps."""
    tracemalloc.start()
    try:
        return read_upload(files, limits=limits), tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def letters(count: int) -> np.ndarray:
    """So many texts of one character each."""
    return (packable("<u4", count) + 97).view("<U1")


@pytest.mark.parametrize("embedding", [None, np.eye(4)])
def test_a_vocab_that_fits_no_embedding_makes_no_text(embedding: np.ndarray | None) -> None:
    more = {} if embedding is None else {"embedding": embedding}
    data = npz(vocab=letters(2 * MIB), **more, **EYE)
    assert len(data) < 200_000
    reason, most = refusal([("w.npz", data)])
    assert reason == ("vocab_without_embedding" if embedding is None else "embedding")
    assert most < 12 * MIB  # the 8 that it unpacks to


def test_a_vocab_has_an_end() -> None:
    arrays = {"vocab": letters(2 * MIB), "embedding": packable("<f2", 8 * MIB).reshape(-1, 4)}
    reason, most = refusal([("w.npz", npz(**arrays, **EYE))])
    assert (reason, most < 64 * MIB) == ("vocab_too_many", True)


def test_texts_that_are_no_vocab_are_not_unpacked() -> None:
    reason, most = refusal([("w.npz", npz(words=letters(2 * MIB), **EYE))])
    assert (reason, most < 2 * MIB) == ("dtype_not_supported", True)


def test_a_million_numbers_of_heads_are_not_written_out() -> None:
    heads = packable("<i8", MIB) + 1000
    reason, most = refusal([("w.npz", npz(num_heads=heads, **EYE))])
    assert (reason, most < 12 * MIB) == ("num_heads_no_number", True)
    matrices = {name: array.tolist() for name, array in EYE.items()}
    for value in ("1" * MIB, [[0] * 100] * 1000, {"a": [0] * 100_000}):
        data = json.dumps({"num_heads": value, **matrices}).encode()
        assert refusal([("w.json", data)])[0] == "num_heads_no_number"


def test_metadata_that_nobody_reads_is_not_kept() -> None:
    data = write_safetensors(EYE, {"story": "a" * 8 * MIB, "vocabulary": "b" * MIB})
    upload, kept = taken([("w.safetensors", data)], SMALL)
    assert upload.bytes == 3 * 64
    assert kept < MIB


def test_a_long_vocab_in_the_metadata_is_no_tree_of_lists() -> None:
    data = write_safetensors({**EYE, "embedding": np.eye(4)}, {"vocab": f"[{'[],' * 3 * MIB}0]"})
    reason, most = refusal([("w.safetensors", data)], SMALL)
    assert (reason, most < 100 * MIB) == ("too_much_memory", True)


def shards(count: int, array: np.ndarray) -> Files:
    """So many archives of one array, under names of their own."""
    data = npz(**{"layers.1000.w_q": array})
    names = [f"layers.{1000 + i}.w_q".encode() for i in range(count)]
    return [(f"{i}.npz", data.replace(b"layers.1000.w_q", name)) for i, name in enumerate(names)]


def test_shards_unpack_within_one_limit_together() -> None:
    files = shards(32, packable("<f4", MIB))
    assert sum(len(data) for _, data in files) < 2 * MIB
    reason, most = refusal(files, SMALL)
    assert (reason, most < 2 * MIB) == ("unpacks_too_large", True)  # nothing was unpacked


def test_json_of_anything_is_counted_before_it_is_read(subtests: pytest.Subtests) -> None:
    for filename, unit in product(("w.safetensors", "w.json"), ("[],", "{},", '{"":0},', '"a",')):
        with subtests.test(filename, unit=unit):
            text = f'{{"w_q": [{unit * (4 * MIB // len(unit))}0]}}'.encode()
            data = text if filename == "w.json" else struct.pack("<Q", len(text)) + text
            reason, most = refusal([(filename, data)], Limits(max_bytes=16 * MIB, least_memory=0))
            assert (reason, most < 16 * MIB) == ("too_much_memory", True)


def test_a_mapping_that_names_one_tensor_very_often_is_refused_before_it_is_copied() -> None:
    data = write_safetensors({"a": np.ones((512, 512), np.float32)}, {})
    copied = {"tensor": "a", "transpose": True}
    for source in ("a", copied, {"tensor": "a", "slice": [[0, 511], None]}):
        mapping = {f"layers.{i}.w_{c}": source for i in range(1000) for c in "qkv"}
        limits = Limits(max_bytes=8 * MIB, least_memory=0)
        reason, most = refusal([("w", data)], limits, json.dumps(mapping))
        assert (reason, most < 12 * MIB) == ("too_much_memory", True)


def test_one_number_in_float64_widens_all_the_others_within_the_budget() -> None:
    arrays = {f"layers.{i}.w_{c}": np.zeros((128, 128), "<f2") for i in range(40) for c in "qkv"}
    arrays["layers.0.w_q"] = np.eye(128)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    data = file.getvalue()
    reason, most = refusal([("w.npz", data)], Limits(max_bytes=len(data), least_memory=0))
    assert (reason, most < 3 * len(data)) == ("too_much_memory", True)
    assert read_upload([("w.npz", data)], limits=SMALL).dtype == "float64"


def test_an_honest_upload_of_the_largest_size_is_read(subtests: pytest.Subtests) -> None:
    for columns_first, dtype in product((False, True), ("<f8", "<f4", ">f4", "<f2", ">f2")):
        with subtests.test(dtype, columns_first=columns_first):
            matrix = (np.arange(MIB).reshape(1024, 1024) % 8).astype(dtype)
            matrix = np.asfortranarray(matrix) if columns_first else matrix
            file = io.BytesIO()
            np.savez(file, w_q=matrix, w_k=matrix, w_v=matrix)
            data = file.getvalue()
            limits = Limits(max_bytes=len(data), least_memory=0)
            read = read_upload([("w.npz", data)], limits=limits)
            np.testing.assert_array_equal(read.layers[0].w_v, matrix)


READ = """
import resource, sys
from pathlib import Path
from attnscope.errors import AttnscopeError
from attnscope.weights.upload import read_upload

folder = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    read_upload([(path.name, path.read_bytes()) for path in sorted(folder.iterdir())])
except AttnscopeError as error:
    print(error.reason)
"""


def read_by_another(folder: Path) -> str:
    """The reason of a refusal under the limits as they are, in a process of 3 GiB at most."""
    read = subprocess.run(
        [sys.executable, "-c", READ, folder], check=True, capture_output=True, text=True
    )
    return read.stdout.strip()


def test_sixty_four_shards_of_32_mb_do_not_take_4_gb(tmp_path: Path) -> None:
    for name, data in shards(64, packable("<f2", 16 * MIB)):
        (tmp_path / name).write_bytes(data)
    assert read_by_another(tmp_path) == "unpacks_too_large"


def long_names(members: int) -> bytes:
    """An archive whose directory is all names: 64 KB each, and four bytes a character in memory."""
    name = "\U0001f600".encode().ljust(65_535, b"a")
    sizes = (20, 3, 20, 0, 0x800, 0, 0, 33, 0, 8, 8, len(name), 0, 0, 0, 0, 0, 0)
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", *sizes) + name
    counts = (0, 0, members, members, members * len(entry), 30, 0)
    return b"PK\3\4" + bytes(26) + members * entry + struct.pack("<4s4H2LH", b"PK\5\6", *counts)


def with_zip64(data: bytes) -> bytes:
    """The same with a second record at its end, by which the first is not believed."""
    end = data.rindex(b"PK\5\6")
    size, offset = struct.unpack("<2L", data[end + 12 : end + 20])
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    return data[:end] + record + locator + data[end:]


@pytest.mark.parametrize("data", [long_names(100), with_zip64(npz(**EYE))], ids=["names", "zip64"])
def test_a_directory_that_no_honest_archive_has_is_refused_unread(data: bytes) -> None:
    files = [("w.npz", data)]
    reason, peak = refusal(files)
    assert reason == "zip_broken"
    assert peak < MIB
    tracemalloc.start()
    try:
        estimate(files)
        assert tracemalloc.get_traced_memory()[1] < MIB
    finally:
        tracemalloc.stop()


def test_a_header_is_never_read_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten kilobytes of numbers pack into a hundred bytes, and take 50 ms each to read as Python."""
    text = f"{{'descr': [{'1,' * 450}], 'fortran_order': False, 'shape': (1,)}}".encode()
    member = b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + bytes(8)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for index in range(200):
            archive.writestr(f"layers.{index}.w_q.npy", member)
    monkeypatch.setattr("ast.literal_eval", lambda text: pytest.fail("read as Python"))
    assert refusal([("w.npz", file.getvalue())])[0] == "dtype_not_supported"
    assert estimate([("w.npz", file.getvalue())]) > 0
