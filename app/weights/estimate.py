"""What reading an upload may take, told before any of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.weights.formats import Limits, kind_of
from app.weights.formats.npz_file import contents, directory_cost
from app.weights.formats.safetensors_file import header_text
from app.weights.formats.vocab import PER_TEXT
from app.weights.json_cost import cost_of_json
from app.weights.mapped_cost import copied_bytes

LEAST = 2**20  # whatever an upload is, reading it takes that
WIDENED = 2  # times as large are float16 numbers as float32, and these as float64
LONE = 3  # times as large is a .npy file: read, and as float32 or in another order beside it
UNKNOWN = 6  # times as large is what nothing is known of: unpacked, as float32, as float64


@dataclass(frozen=True)
class _Cost:
    """Bytes: of the numbers once they are read, of those among them that may have to be widened
    for float64 beside them (`wide`), and of everything else."""

    numbers: int = 0
    narrow: int = 0
    wide: bool = False
    rest: int = 0

    def __add__(self, other: _Cost) -> _Cost:
        return _Cost(
            self.numbers + other.numbers,
            self.narrow + other.narrow,
            self.wide or other.wide,
            self.rest + other.rest,
        )


def estimate(
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: bytes | str | None = None,
    limits: Limits | None = None,
) -> int:
    """At most so many bytes of memory are held at once by `accept` of these (filename, bytes), and
    by what it returns; the bytes of the files are not among them.

    `accept` refuses what would take more than `limits.memory`, so that this is never more than a
    mebibyte above it. It takes some milliseconds for a mebibyte, and never raises.
    """
    limits = limits or Limits()
    cost = sum((_of_file(filename, data, limits) for filename, data in files), _Cost())
    numbers, narrow, rest = cost.numbers, cost.narrow if cost.wide else 0, cost.rest
    if mapping is not None:
        text = mapping if isinstance(mapping, bytes) else mapping.encode(errors="surrogatepass")
        copied = copied_bytes(text, files, limits)
        if copied is None:
            copies = text.count(b":")  # each of our names may stand for a copy of everything
            numbers, narrow = numbers * (1 + copies), narrow * copies
        else:
            numbers, narrow = numbers + copied, copied if cost.wide else 0
        rest += cost_of_json(text)
    return LEAST + min(limits.memory, numbers + WIDENED * narrow + rest)


def _of_file(filename: str, data: bytes, limits: Limits) -> _Cost:
    match kind_of(filename, data):
        case ".safetensors":
            return _of_safetensors(data, limits)
        case ".npz":
            return _of_npz(data, limits)
        case ".npy":
            return _Cost(numbers=LONE * len(data))
        case ".json":
            texts = data.count(b'"') // 2
            return _Cost(wide=True, rest=cost_of_json(data) + PER_TEXT * texts)
    return _Cost()


def _of_safetensors(data: bytes, limits: Limits) -> _Cost:
    header = header_text(data, limits)
    if header is None:
        return _Cost()
    half = b'F16"' in header
    numbers = (WIDENED if half else 1) * len(data)
    narrow = numbers if half or b'"F32"' in header else 0
    texts = header.count(b'"') // 2 if b'"vocab"' in header else 0
    # Twice: a vocab is JSON in JSON.
    return _Cost(numbers, narrow, b'"F64"' in header, 2 * cost_of_json(header) + PER_TEXT * texts)


def _of_npz(data: bytes, limits: Limits) -> _Cost:
    cost = _Cost(rest=directory_cost(data))
    for size, dtype in contents(data, limits):
        if dtype is None:
            cost += _Cost(rest=UNKNOWN * size)
        elif dtype.kind == "U":
            cost += _Cost(rest=WIDENED * size + PER_TEXT * size // max(1, dtype.itemsize))
        else:
            half = dtype.itemsize == 2
            # Beside it for a moment: the member as it was unpacked.
            numbers = (WIDENED + 1 if half else WIDENED) * size
            wide = dtype.name == "float64"
            cost += _Cost(numbers, 0 if wide else numbers, wide)
    return cost
