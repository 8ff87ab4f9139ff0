from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.gguf_file import Header
from attnscope.weights.formats.gguf_metadata import Metadata
from attnscope.weights.formats.gguf_tensors import GgufTensors

IN_A_BLOCK = re.compile(r"((?:enc\.|dec\.)?)blk\.([0-9]+)\.(.+)")
COMMON_KEYS = {
    "attention.head_count", "attention.head_count_kv", "block_count", "context_length",
    "embedding_length", "feed_forward_length", "vocab_size",
}  # fmt: skip
SHOWN = 8
READERS: dict[type, Callable[..., object]] = {
    bool: Metadata.flag, int: Metadata.whole, float: Metadata.number, str: Metadata.text
}  # fmt: skip


@dataclass(frozen=True)
class TensorSource:
    """`rows`: start and end of the rows to read. `paired`: number of heads for `in_halves`.
    `grouped`: numbers of heads and key/value heads for `by_kv_head`. `less`: number to subtract.
    `turned`: whether to transpose."""

    name: str
    turned: bool = False
    paired: int = 0
    grouped: tuple[int, int] | None = None
    rows: tuple[int, int] | None = None
    less: float = 0.0

    def shape(self, stored: tuple[int, ...]) -> tuple[int, ...]:
        if self.rows is not None:
            stored = (self.rows[1] - self.rows[0], *stored[1:])
        return stored[::-1] if self.turned else stored

    def transform(self, array: np.ndarray) -> np.ndarray:
        if self.rows is not None:
            array = array[slice(*self.rows)]
        if self.paired:
            array = in_halves(array, self.paired)
        if self.grouped is not None:
            array = by_kv_head(array, *self.grouped)
        if self.less:
            array = array - np.float32(self.less)
        return array.T if self.turned else array


@dataclass(frozen=True)
class Translation:
    config: dict[str, Any]
    tensors: dict[str, TensorSource]


class Architecture(Protocol):
    @property
    def ARCHITECTURE(self) -> str: ...  # noqa: N802

    def translate(self, file: GgufTensors) -> Translation:
        pass


class Translated(Mapping[str, np.ndarray]):
    """Tensors by Hugging Face names: float32, computed on access."""

    def __init__(self, tensors: GgufTensors, sources: Mapping[str, TensorSource]) -> None:
        self._tensors, self._sources = tensors, sources

    def __getitem__(self, name: str) -> np.ndarray:
        source = self._sources[name]
        return source.transform(self._tensors[source.name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def in_halves(rows: np.ndarray, heads: int) -> np.ndarray:
    """Reorder each head's rows from adjacent pairs (0 1, 2 3, …) to halves."""
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return pairs.swapaxes(1, 2).reshape(rows.shape)


def by_kv_head(rows: np.ndarray, heads: int, kv_heads: int) -> np.ndarray:
    """Reorder q | k | v so that each key/value head follows its queries."""
    d, rest = len(rows) // (heads + 2 * kv_heads), rows.shape[1:]
    parts = np.split(rows, [heads * d, (heads + kv_heads) * d])
    groups = [part.reshape(kv_heads, -1, *rest) for part in parts]
    return np.concatenate(groups, axis=1).reshape(rows.shape)


def check_keys(metadata: Metadata, architecture: str, further: Collection[str]) -> None:
    known = {f"{architecture}.{key}" for key in (*COMMON_KEYS, *further)}
    own = {key for key in metadata if key.startswith(f"{architecture}.")}
    unknown = sorted(own - known)
    if unknown:
        raise BadWeightsFile("gguf_keys", at=metadata.file, keys=", ".join(unknown[:SHOWN]))


def check_is(metadata: Metadata, key: str, only: bool | int | float | str) -> None:
    found = READERS[type(only)](metadata, key, only)
    if found != only:
        raise BadWeightsFile(
            "gguf_only", at=metadata.file, key=key, value=str(found).lower(), only=str(only).lower()
        )


def match_tensors(
    header: Header, outer: Mapping[str, str], block: Mapping[str, str]
) -> dict[str, str]:
    found, unknown = {}, []
    for name in header.tensors:
        match = IN_A_BLOCK.fullmatch(name)
        if (other := outer.get(name)) is not None:
            found[other] = name
        elif match is not None and (other := block.get(match[1] + match[3])) is not None:
            found[other.format(i=match[2])] = name
        else:
            unknown.append(name)
    if unknown:
        listed = ", ".join(sorted(unknown)[:SHOWN])
        raise BadWeightsFile("gguf_tensors", at=header.metadata.file, tensors=listed)
    return found


def weight_and_bias(names: Mapping[str, str]) -> dict[str, str]:
    return {
        f"{name}.{part}": f"{other}.{part}"
        for name, other in names.items()
        for part in ("weight", "bias")
    }


def rows_of(header: Header, name: str) -> int:
    entry = header.tensors.get(name)
    if entry is None:
        raise BadWeightsFile("missing_tensors", at=name, count=1, tensors=name)
    return entry.shape[0]
