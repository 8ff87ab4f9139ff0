from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.gguf_file import Header, read_header
from attnscope.weights.formats.gguf_number_formats import numbers
from attnscope.weights.formats.mapped import map_bytes


class GgufTensors(Mapping[str, np.ndarray]):
    def __init__(self, data: memoryview, header: Header) -> None:
        self._data, self.header = data, header

    def __getitem__(self, name: str) -> np.ndarray:
        entry = self.header.tensors[name]
        return numbers(self._data[entry.begin : entry.end], entry.kind, entry.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.header.tensors)

    def __len__(self) -> int:
        return len(self.header.tensors)


def map_gguf(path: Path) -> GgufTensors:
    if path.stat().st_size == 0:
        raise BadWeightsFile("gguf_magic", at=path.name)
    return gguf_in(map_bytes(path), path.name)


def gguf_in(data: memoryview, name: str) -> GgufTensors:
    return GgufTensors(data, read_header(data, name))
