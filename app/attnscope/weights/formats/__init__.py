"""Readers of .safetensors, .npz, .json and .gguf, without pickle."""

from __future__ import annotations

from pathlib import PurePath

from attnscope.weights.formats import npz_file
from attnscope.weights.formats.json_file import read_json
from attnscope.weights.formats.limits import BadWeights, Budget, Limits, WeightsFile
from attnscope.weights.formats.npz_file import read_npy, read_npz
from attnscope.weights.formats.safetensors_file import decode_safetensors, read_safetensors

__all__ = [
    "Budget", "Limits", "WeightsFile", "decode_safetensors", "kind_of", "read_arrays",
    "read_weights", "unpacked_size",
]  # fmt: skip

PICKLE_NAMES = {".pt", ".pth", ".pt2", ".pkl", ".pickle", ".bin", ".ckpt", ".joblib"}
NAME_LENGTH, NAME_START = slice(26, 28), 30  # in a local header of zip


def read_weights(filename: str, data: bytes, budget: Budget) -> WeightsFile:
    """Raises BadWeightsFile, NonFinite."""
    if kind_of(filename, data) == ".npy":
        raise BadWeights("lone_npy")
    file = read_arrays(filename, data, budget)
    file.check_finite()
    return file


def read_arrays(filename: str, data: bytes, budget: Budget) -> WeightsFile:
    """Detect the format by content, else by name. Raises BadWeightsFile."""
    if not data:
        raise BadWeights("empty")
    limits = budget.limits
    if len(data) > limits.max_bytes:
        raise BadWeights("too_many_bytes", bytes=len(data), limit=limits.max_bytes)
    match kind_of(filename, data):
        case ".safetensors":
            return read_safetensors(data, budget)
        case ".npz":
            return read_npz(data, budget)
        case ".json":
            return read_json(data, budget)
        case ".npy":
            return read_npy(PurePath(filename.replace("\\", "/")).stem or "weights", data, budget)
        case "pickle":
            raise BadWeights("pickle")
        case _:
            raise BadWeights("unknown_format")


def unpacked_size(filename: str, data: bytes, limits: Limits) -> int:
    packed = kind_of(filename, data) == ".npz"
    return npz_file.unpacked_size(data, limits) if packed else len(data)


def kind_of(filename: str, data: bytes) -> str:
    """Format by content, such as .npz or "pickle"; the suffix if unknown."""
    suffix = PurePath(filename).suffix.lower()
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "pickle" if _is_torch_archive(suffix, data) else ".npz"
    if data[:6] == b"\x93NUMPY":
        return ".npy"
    # Safetensors begins with a 64-bit length, whose high bytes are NUL.
    if data[8:9] == b"{" and b"\0" in data[:8]:
        return ".safetensors"
    if data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05":
        return "pickle"
    if data[:16].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return ".json"
    return "pickle" if suffix in PICKLE_NAMES else suffix


def _is_torch_archive(suffix: str, data: bytes) -> bool:
    length = int.from_bytes(data[NAME_LENGTH], "little")
    first = data[NAME_START : NAME_START + length]
    if first.endswith((b".pkl", b".pickle")):
        return True
    return suffix in PICKLE_NAMES and not first.endswith(b".npy")
