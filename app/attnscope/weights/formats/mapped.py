"""Memory-mapped .safetensors. Other floats than float32 are converted on access."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.limits import Limits
from attnscope.weights.formats.safetensors_file import BFLOAT16, DTYPES, header_of, widened

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
LIMITS = Limits(max_header_bytes=64 << 20)
LARGEST_INDEX = 64 << 20
FLOATS = frozenset({"float64", "float32", "float16", BFLOAT16})


@dataclass(frozen=True)
class Place:
    bytes: memoryview
    begin: int
    end: int
    shape: tuple[int, ...]
    dtype: str


class Mapped(Mapping[str, np.ndarray]):
    def __init__(self, places: dict[str, Place]) -> None:
        self.places = places

    def __getitem__(self, name: str) -> np.ndarray:
        place = self.places[name]
        if place.dtype not in FLOATS:
            raise BadWeightsFile("dtype_not_supported", at=name, tensor=name, dtype=place.dtype)
        data = place.bytes[place.begin : place.end]
        if place.dtype == "float32":
            return np.frombuffer(data, np.float32).reshape(place.shape)
        array = widened(data, place.dtype).reshape(place.shape)
        return array.astype(np.float32) if place.dtype == "float64" else array

    def __iter__(self) -> Any:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def holds_weights(folder: Path) -> bool:
    return (folder / WHOLE).exists() or (folder / INDEX).exists()


def weight_files(folder: Path) -> list[Path]:
    index = folder / INDEX
    if not index.exists():
        if not (folder / WHOLE).is_file():
            raise BadWeightsFile("no_safetensors", at="model", folder=folder.name)
        return [folder / WHOLE]
    names = shards_of(index)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise BadWeightsFile("missing_shard", at="model", files=", ".join(missing[:8]))
    return [folder / name for name in names]


def shards_of(index: Path) -> list[str]:
    try:
        if index.stat().st_size > LARGEST_INDEX:
            raise ValueError
        names = set(json.loads(index.read_bytes())["weight_map"].values())
        if not names or not all(isinstance(n, str) and Path(n).name == n for n in names):
            raise ValueError
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        raise BadWeightsFile("index_broken", at="model", file=index.name) from None
    return sorted(names)


def map_files(paths: list[Path]) -> Mapped:
    for path in paths:
        if path.stat().st_size == 0:
            raise BadWeightsFile("truncated", at="model", bytes=0, needed=8)
    return map_views([map_bytes(path) for path in paths], LIMITS)


def map_views(files: list[memoryview], limits: Limits) -> Mapped:
    places: dict[str, Place] = {}
    for data in files:
        start, entries = header_of(data, limits)
        for name, entry in entries.items():
            if name in places:
                raise BadWeightsFile("tensor_twice", at="model", tensor=name)
            begin, end = (start + offset for offset in entry["data_offsets"])
            places[name] = Place(data, begin, end, tuple(entry["shape"]), DTYPES[entry["dtype"]])
    return Mapped(places)


def map_bytes(path: Path) -> memoryview:
    """The file must not be empty."""
    with path.open("rb") as file:
        return memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
