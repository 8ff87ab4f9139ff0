"""Files made to break a reader: each gets its code and reason, and nothing large is allocated."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from attnscope.errors import AttnscopeError
from attnscope.weights.formats import Limits
from attnscope.weights.upload import read_upload
from tests.safetensors_files import write_safetensors

MATRICES = {name: np.eye(4, dtype=np.float32) for name in ("w_q", "w_k", "w_v")}
F32 = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


def good_safetensors() -> bytes:
    return write_safetensors(MATRICES, {"note": "good"})


def good_npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, **MATRICES)  # type: ignore[arg-type]  # its stub has allow_pickle: bool
    return file.getvalue()


def good_json() -> bytes:
    return json.dumps({name: matrix.tolist() for name, matrix in MATRICES.items()}).encode()


def safetensors(header: object, body: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def npy(header: str, body: bytes = b"", version: bytes = b"\1\0") -> bytes:
    text = header.encode("latin-1")
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + body


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, data in members:
            made.writestr(name, data)
    return file.getvalue()


def torch_archive(*members: str) -> bytes:
    """As torch.save ends an archive: with a directory of zip64, whatever its size."""
    data = archive(*((name, pickle.dumps(Bomb())) for name in members), method=zipfile.ZIP_STORED)
    record, locator = b"PK\x06\x06" + bytes(52), b"PK\x06\x07" + bytes(16)
    return data[:-22] + record + locator + data[-22:]


def described(descr: str = "'<f4'", shape: str = "(1,)", body: bytes = bytes(4)) -> bytes:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    return archive(("w_q.npy", npy(header, body)))


def crowded_zip() -> bytes:
    """A directory of 10⁵ entries that all point at one member."""
    data = archive(("w.npy", b"x"))
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entries = data[start:end] * 100_000
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, len(entries), start, 0)
    return data[:start] + entries + tail


def encrypted_zip() -> bytes:
    data = bytearray(good_npz())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    return bytes(data)


def lying_zip() -> bytes:
    """Its directory says 100 bytes, its stream unpacks to a mebibyte."""
    data = bytearray(archive(("w_q.npy", bytes(2**20))))
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<L", 100)
    return bytes(data)


def torn_zip() -> bytes:
    data = bytearray(good_npz())
    data[data.index(np.eye(4, dtype=np.float32).tobytes())] ^= 1  # the CRC knows
    return bytes(data)


class Bomb:
    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return (pytest.fail, ("a pickle was opened",))


HUGE = 2**62
BAD = "bad_weights_file"
# What it is: the file, or what makes a large one, its name, the code, the reason.
FILES: dict[str, tuple[bytes | Callable[[], bytes], str, str, str]] = {
    "nothing at all": (b"", "w.safetensors", BAD, "empty"),
    "zeros": (bytes(64), "w.safetensors", BAD, "header_broken"),
    "noise without a name": (b"\xfe\x01noise", "", BAD, "unknown_format"),
    "a pickle": (pickle.dumps(Bomb()), "w.safetensors", BAD, "pickle"),
    "a pickle of protocol 0": (pickle.dumps(Bomb(), 0), "w.pkl", BAD, "pickle"),
    "a pickle called pt": (pickle.dumps(Bomb(), 1), "w.pt", BAD, "pickle"),
    "a torch archive": (archive(("w/data.pkl", pickle.dumps(Bomb()))), "w.pt", BAD, "pickle"),
    "a torch archive called npz": (archive(("a/data.pkl", b"x")), "w.npz", BAD, "pickle"),
    "a torch archive with a zip64 directory": (
        torch_archive("model/data.pkl", "model/data/0"), "w.pt", BAD, "pickle",
    ),
    "the same under another name": (
        torch_archive("model/data.pkl", "model/data/0"), "w.npz", BAD, "pickle",
    ),
    "a program of torch": (torch_archive("model/code/a.py"), "w.pth", BAD, "pickle"),
    "a torch archive of which only the name is known": (b"PK\x05\x06", "w.bin", BAD, "pickle"),
    # safetensors
    "seven bytes": (b"\x10\0\0\0\0\0\0", "w.safetensors", BAD, "truncated"),
    "a header of 2**63 bytes": (safetensors(b"{}", length=2**63), "w", BAD, "header_too_long"),
    "a header of 2**64 - 1": (
        safetensors(b"{}", length=2**64 - 1), "w.safetensors", BAD, "header_too_long",
    ),
    "a header beyond the end": (safetensors(b"{}", length=99), "w", BAD, "truncated"),
    "a header of text": (safetensors(b"{not json}"), "w", BAD, "header_broken"),
    "a header of bytes": (safetensors(b"{\xff\xfe}"), "w", BAD, "header_broken"),
    "a header without end": (safetensors(b'{"a":' * 10_000), "w", BAD, "header_broken"),
    "a header with a long number": (
        safetensors(b'{"w": ' + b"9" * 5000 + b"}"), "w", BAD, "header_broken",
    ),
    "a list for a header": (safetensors([]), "w.safetensors", BAD, "header_broken"),
    "no tensors": (safetensors({}), "w", BAD, "no_tensors"),
    "a tensor twice": (
        safetensors(b'{"w_q":%s,"w_q":%s}' % ((json.dumps(F32).encode(),) * 2), bytes(4)),
        "w", BAD, "duplicate_name",
    ),
    "a field twice": (
        safetensors(b'{"w":{"dtype":"F32","dtype":"F64","shape":[1],"data_offsets":[0,4]}}'),
        "w", BAD, "duplicate_name",
    ),
    "tensors that overlap": (
        safetensors({"a": F32, "b": {**F32, "data_offsets": [2, 6]}}, bytes(6)),
        "w", BAD, "overlapping_tensors",
    ),
    "tensors at one place": (
        safetensors({"a": F32, "b": F32}, bytes(4)), "w", BAD, "overlapping_tensors",
    ),
    "a gap between tensors": (
        safetensors({"a": F32, "b": {**F32, "data_offsets": [8, 12]}}, bytes(12)),
        "w", BAD, "gap_between_tensors",
    ),
    "a tensor beyond the end": (safetensors({"a": F32}, b""), "w", BAD, "tensors_truncated"),
    "bytes after the tensors": (safetensors({"a": F32}, bytes(5)), "w", BAD, "bytes_left_over"),
    "a shape of 2**124 numbers": (
        safetensors({"a": {**F32, "shape": [HUGE, HUGE]}}, bytes(4)), "w", BAD, "size_mismatch",
    ),
    "a tensor of 2**62 bytes": (
        safetensors({"a": {**F32, "shape": [HUGE // 4], "data_offsets": [0, HUGE]}}),
        "w", BAD, "tensors_truncated",
    ),
    "a negative size": (safetensors({"a": {**F32, "shape": [-1]}}), "w", BAD, "entry_broken"),
    "a size that is no number": (
        safetensors({"a": {**F32, "shape": [True]}}, bytes(4)), "w", BAD, "entry_broken",
    ),
    "offsets backwards": (
        safetensors({"a": {**F32, "data_offsets": [4, 0]}}, bytes(4)), "w", BAD, "size_mismatch",
    ),
    "an entry that is a number": (safetensors({"a": 1}), "w", BAD, "entry_broken"),
    "an entry with too much": (
        safetensors({"a": {**F32, "stride": [1]}}, bytes(4)), "w", BAD, "entry_broken",
    ),
    "a dtype of no one": (
        safetensors({"a": {**F32, "dtype": "F33"}}, bytes(4)), "w", BAD, "dtype_not_supported",
    ),
    "metadata of numbers": (
        safetensors({"__metadata__": {"a": 1}, "w": F32}, bytes(4)), "w", BAD, "metadata_broken",
    ),
    "no numbers in a tensor": (
        safetensors({"w_q": {**F32, "shape": [0, HUGE], "data_offsets": [0, 0]}}),
        "w", BAD, "empty_tensor",
    ),
    "10**5 tensors": (
        lambda: safetensors({f"t{i}": {**F32, "data_offsets": [i, i]} for i in range(100_000)}),
        "w", BAD, "too_many_tensors",
    ),
    "a way out": (safetensors({"../w_q": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "a way out in the middle": (safetensors({"a/../../b": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "a way out elsewhere": (safetensors({"a\\..\\b": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "an absolute name": (safetensors({"/etc/passwd": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "a name with a bell": (safetensors({"w\x07": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "a name that turns around": (safetensors({"w\u202eq": F32}, bytes(4)), "w", BAD, "unsafe_name"),
    "half a surrogate in a name": (
        safetensors(b'{"\\ud800": {}}'), "w", BAD, "unsafe_name",
    ),
    "a long name": (safetensors({"w" * 300: F32}, bytes(4)), "w", BAD, "name_length"),
    "NaN inside": (
        safetensors({"w_q": F32}, struct.pack("<f", float("nan"))), "w", "non_finite", "in_tensor",
    ),
    # npz
    "a zip cut short": (good_npz()[:-30], "w.npz", BAD, "zip_broken"),
    "no zip": (b"plain text", "w.npz", BAD, "zip_broken"),
    "an empty zip": (archive(), "w.npz", BAD, "no_tensors"),
    "a zip bomb": (lambda: archive(("w_q.npy", bytes(64 * 2**20))), "w.npz", BAD, "zip_bomb"),
    "many small bombs": (
        lambda: archive(*((f"w{i}.npy", bytes(2**20)) for i in range(40))),
        "w.npz", BAD, "unpacks_too_large",
    ),
    "a zip that lies about its sizes": (lying_zip, "w.npz", BAD, "member_broken"),
    "a zip of 10**5 entries": (crowded_zip, "w.npz", BAD, "too_many_tensors"),
    "a zip with a password": (encrypted_zip(), "w.npz", BAD, "member_broken"),
    "a zip packed oddly": (
        archive(("w.npy", b"x"), method=zipfile.ZIP_LZMA), "w.npz", BAD, "zip_broken",
    ),
    "a zip with one bit turned": (torn_zip(), "w.npz", BAD, "member_broken"),
    "a zip of texts": (archive(("readme.txt", b"hello")), "w.npz", BAD, "not_an_array"),
    "a zip with a way out": (archive(("../w_q.npy", b"x")), "w.npz", BAD, "unsafe_name"),
    "an array of objects": (described("'|O'"), "w.npz", BAD, "object_array"),
    "an array of records": (described("[('a', '<f4')]"), "w.npz", BAD, "dtype_not_supported"),
    "an array of float8": (described("'<f1'", body=b"8"), "w.npz", BAD, "nameless_dtype"),
    "an array of long doubles": (described("'<f16'"), "w.npz", BAD, "dtype_not_supported"),
    "an array of empty texts": (
        described("'<U0'", f"({HUGE},)", b""), "w.npz", BAD, "dtype_not_supported",
    ),
    "an array larger than its member": (
        described(shape=f"({HUGE}, {HUGE})"), "w.npz", BAD, "size_mismatch",
    ),
    "an array smaller than its member": (described(body=bytes(8)), "w.npz", BAD, "size_mismatch"),
    "an array of a negative size": (described(shape="(-1,)"), "w.npz", BAD, "member_broken"),
    "an array of no size": (described(shape="(0, 4)", body=b""), "w.npz", BAD, "empty_tensor"),
    "an array of many axes": (described(shape=f"({'1,' * 99})"), "w.npz", BAD, "too_many_axes"),
    "a program for a header": (
        described(shape="__import__('os').abort()"), "w.npz", BAD, "member_broken",
    ),
    "a deep header": (described(shape="(" * 4000), "w.npz", BAD, "member_broken"),
    "a header of another version": (
        archive(("w.npy", npy("{}", version=b"\x09\0"))), "w.npz", BAD, "member_broken",
    ),
    # json
    "json cut short": (good_json()[:-5], "w.json", BAD, "json_broken"),
    "json of a list": (b"[[1, 2]]", "w.json", BAD, "json_no_object"),
    "json without end": (b'{"a":' * 100_000, "w.json", BAD, "json_unreadable"),
    "json of another encoding": ('{"w": [1]}'.encode("utf-16"), "w.json", BAD, "json_unreadable"),
    "json of nothing": (b'{"w_q": null}', "w.json", BAD, "no_tensors"),
    "json twice the same": (b'{"w_q": [[1]], "w_q": [[2]]}', "w.json", BAD, "duplicate_name"),
    "ragged json": (b'{"w_q": [[1, 2], [3]]}', "w.json", BAD, "ragged"),
    "ragged inside json": (b'{"w_q": [[[1], [2]], [[1], [2, 3]]]}', "w.json", BAD, "ragged"),
    "json half rows": (b'{"w_q": [[1, 2], 3]}', "w.json", BAD, "not_numbers"),
    "json of texts": (b'{"w_q": [["1"]]}', "w.json", BAD, "not_numbers"),
    "json of truths": (b'{"w_q": [[true]]}', "w.json", BAD, "not_numbers"),
    "json with a hole": (b'{"w_q": [[1, null]]}', "w.json", BAD, "not_numbers"),
    "json of an empty list": (b'{"w_q": []}', "w.json", BAD, "empty_tensor"),
    "json of empty rows": (b'{"w_q": [[], []]}', "w.json", BAD, "empty_tensor"),
    "json nested like an onion": (
        b'{"w_q": ' + b"[" * 99 + b"1" + b"]" * 99 + b"}", "w.json", BAD, "too_many_axes",
    ),
    "json of a large number": (
        b'{"w_q": [' + b"9" * 400 + b"]}", "w.json", BAD, "number_too_large",
    ),
    "json of a longer number": (
        b'{"w_q": [' + b"9" * 5000 + b"]}", "w.json", BAD, "json_unreadable",
    ),
    "json with NaN": (b'{"w_q": [[NaN]]}', "w.json", "non_finite", "in_tensor"),
    "json with infinity": (b'{"w_q": [[-1e999]]}', "w.json", "non_finite", "in_tensor"),
    # sound files with nothing for us
    "tensors of other names": (
        write_safetensors({"h.0.attn": np.eye(2)}, {}), "w", "unknown_layout", "not_recognised",
    ),
    "a vocab of objects": (
        b'{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]], "vocab": {"a": 0}}', "w", BAD, "vocab_broken",
    ),
}  # fmt: skip

TIGHT = Limits(max_bytes=32 * 2**20, max_ratio=2000)
LARGEST = 4 * 2**20


def hostile_files() -> Iterator[tuple[str, bytes, str, str, str]]:
    """What each is, the file, its name, the code, the reason."""
    for what, (data, filename, code, reason) in FILES.items():
        yield what, data if isinstance(data, bytes) else data(), filename, code, reason


def test_a_hostile_file_gets_its_code_and_reason_and_takes_little_memory(
    subtests: pytest.Subtests,
) -> None:
    for what, data, filename, code, reason in hostile_files():
        with subtests.test(what):
            tracemalloc.start()
            try:
                with pytest.raises(AttnscopeError) as error:
                    read_upload(
                        [(filename, data)], limits=TIGHT if what == "many small bombs" else None
                    )
                assert tracemalloc.get_traced_memory()[1] < len(data) + LARGEST
            finally:
                tracemalloc.stop()
            assert (error.value.code, error.value.reason) == (code, reason)
            json.dumps(error.value.values, ensure_ascii=False).encode()


def test_a_file_cut_anywhere_is_refused(subtests: pytest.Subtests) -> None:
    cases = {
        "safetensors": (good_safetensors(), "w.safetensors"),
        "npz": (good_npz(), "w.npz"),
        "json": (good_json(), "w.json"),
    }
    for (name, (good, filename)), eighths in product(cases.items(), range(8)):
        with subtests.test(name, eighths=eighths):
            assert read_upload([(filename, good)]).layout == "canonical"
            with pytest.raises(AttnscopeError) as error:
                read_upload([(filename, good[: len(good) * eighths // 8])])
            assert error.value.code == BAD
