from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, repeat

import numpy as np

from attnscope import cancellation
from attnscope.analysis.merged_words import groups_of
from attnscope.attention.architecture import Shape
from attnscope.trace.plan import Plan
from attnscope.trace.stages import BY_NAME, PARAMETER_NAMES
from attnscope.web.http.negotiation import JSON, SAFETENSORS
from attnscope.web.http.replies import Stream, join_small_parts

Names = Sequence[str]

LONGEST = 40  # characters, as each CSV line has two names
QUOTED = re.compile(r'[",\r\n]')


class TokenNames:
    """Names of tokens as CSV fields (RFC 4180)."""

    def __init__(self, planned: Plan, merged: bool) -> None:
        self._planned = planned
        self._merged = merged
        self._of = cache(self._found)

    def at(self, layer: int, stage: str, index: Sequence[int]) -> tuple[str, Iterator[str]]:
        """The row's name, and an endless iterator of column names; "" if unnamed."""
        if stage in PARAMETER_NAMES:
            return "", repeat("")
        rows, cols = (self._of(layer, axis, index[0]) for axis in BY_NAME[stage].axes[-2:])
        row = index[-1]
        return rows[row] if row < len(rows) else "", chain(cols, repeat(""))

    def of(self, layer: int, axis: str, batch: int) -> list[str]:
        """Full names, unquoted."""
        planned = self._planned
        if axis not in ("query", "key"):
            return []
        words = planned.words_of(layer)
        if axis == "key" and planned.attends_to_context(layer) and planned.context:
            words = planned.context
        if words.tokens is None:
            return []
        tokens = [token or "" for token in words.tokens[batch]]
        if not self._merged:
            return tokens
        groups = groups_of(planned.question, words, batch)
        return [spelled([tokens[at] for at in group]) for group in groups]

    def _found(self, layer: int, axis: str, batch: int) -> Names:
        return [field(name) for name in self.of(layer, axis, batch)]


def spelled(pieces: Sequence[str]) -> str:
    first, *others = pieces
    return first + "".join(one.removeprefix("##") or one for one in others)


def field(name: str) -> str:
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return '"{}"'.format(short.replace('"', '""')) if QUOTED.search(short) else short


def longest_name(planned: Plan) -> int:
    tokens = (words.tokens for words in (planned.words, planned.context) if words)
    names = (name or "" for rows in tokens for row in rows or [] for name in row)
    return max((len(field(name).encode()) for name in names), default=0)


HEADER = "layer,stage,batch,head,row,col,value,row_token,col_token"
MEDIA = {
    "json": JSON,
    "csv": "text/csv; charset=utf-8",
    "npz": "application/x-npz",
    "safetensors": SAFETENSORS,
    "html": "text/html; charset=utf-8",
    "py": "application/zip",
}
LINES = 4096
END = "\r\n"  # RFC 4180


def csv_of(
    arrays: Mapping[str, np.ndarray], shape: Shape, first_head: int, tokens: TokenNames
) -> Stream:
    """Computed before the reply starts, so that the work can be cancelled."""
    skipped = {"head": first_head, "kv_head": shape.kv_head_of(first_head), None: 0}
    lines, parts = [HEADER], list[bytes]()
    for name, array in arrays.items():
        _, layer, stage = name.split(".")
        skip = skipped[BY_NAME[stage].head_axis]
        for index in np.ndindex(array.shape[:-1]):
            cancellation.check()
            place = f"{layer},{stage},{_place(index, stage, skip)},"
            row, cols = tokens.at(int(layer), stage, index)
            cells = enumerate(zip(_cells(stage, array[index]), cols, strict=False))
            lines += [f"{place}{at},{value},{row},{col}" for at, (value, col) in cells]
            if len(lines) >= LINES:
                parts.append(END.join([*lines, ""]).encode())
                lines.clear()
    parts.append(END.join([*lines, ""]).encode() if lines else b"")
    return Stream(parts, sum(map(len, parts)))


def csv_of_map(weights: np.ndarray, tokens: TokenNames, layer: int, batch: int) -> Stream:
    parts = [f"row,col,value,row_token,col_token{END}".encode()]
    for row, values in enumerate(weights):
        cancellation.check()
        name, cols = tokens.at(layer, "weights", (batch, 0, row))
        cells = enumerate(zip(map(repr, values.tolist()), cols, strict=False))
        lines = [f"{row},{at},{value},{name},{col}{END}" for at, (value, col) in cells]
        parts.append("".join(lines).encode())
    return Stream(parts, sum(map(len, parts)))


def _place(index: tuple[int, ...], stage: str, skip: int) -> str:
    """Fields batch, head, row. `skip`: the first head."""
    if stage in PARAMETER_NAMES:
        return f",,{index[0] if index else ''}"
    if len(index) == 3:
        return f"{index[0]},{index[1] + skip},{index[2]}"
    return f"{index[0]},,{index[1]}"


def _cells(stage: str, row: np.ndarray) -> list[str]:
    """Shortest exact texts; empty for masked cells."""
    texts = list(map(repr, row.tolist()))
    return ["" if text == "-inf" else text for text in texts] if stage == "masked_scores" else texts


class _Pieces(io.RawIOBase):
    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data))  # type: ignore[arg-type]
        self.waiting.append(piece)
        return len(piece)

    def take(self) -> bytes:
        taken, self.waiting = b"".join(self.waiting), []
        return taken


def npz_of(arrays: Mapping[str, np.ndarray]) -> Stream:
    """Stream a file like numpy.savez."""
    return Stream(join_small_parts(_npz(arrays)), threaded=True)


def zip_of(members: Mapping[str, bytes | Mapping[str, np.ndarray]]) -> Stream:
    pieces = {
        name: iter([member]) if isinstance(member, bytes) else _npz(member)
        for name, member in members.items()
    }
    return Stream(join_small_parts(_zipped(pieces)), threaded=True)


def _npz(arrays: Mapping[str, np.ndarray]) -> Iterator[bytes]:
    return _zipped({f"{name}.npy": _npy(array) for name, array in arrays.items()})


def _zipped(
    members: Mapping[str, Iterator[bytes | memoryview] | Iterator[bytes]],
) -> Iterator[bytes]:
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w") as archive:
        for name, member in members.items():
            entry = zipfile.ZipInfo(name)  # no time stamp
            with archive.open(entry, "w", force_zip64=True) as file:
                for piece in member:
                    file.write(piece)
                    yield pieces.take()
    yield pieces.take()


def _npy(array: np.ndarray) -> Iterator[bytes | memoryview]:
    header = io.BytesIO()
    description = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
    np.lib.format.write_array_header_1_0(header, description)
    yield header.getvalue()
    numbers = np.ascontiguousarray(array).reshape(-1)
    step = (1 << 20) // array.itemsize
    for start in range(0, numbers.size, step):
        yield numbers[start : start + step].view(np.uint8).data
