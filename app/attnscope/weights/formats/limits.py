from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import regex

from attnscope.errors import BadWeightsFile, NonFinite

MIB = 2**20
SEARCHED = 2**18  # numbers tested at once
UNPRINTABLE = regex.compile(r"[\p{C}\p{Zl}\p{Zp}]")
PATH_TRAVERSAL = regex.compile(r"^[/\\]|(^|[/\\])\.\.([/\\]|$)")


class BadWeights(BadWeightsFile):
    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason, at="weights", **values)


@dataclass(frozen=True)
class Limits:
    """`max_bytes`: of all files together, also unpacked. JSON has a lower limit, as its Python
    objects take twenty times its size."""

    max_bytes: int = 512 * MIB
    max_header_bytes: int = 10 * MIB
    max_json_bytes: int = 16 * MIB
    max_tensors: int = 4096
    max_name_length: int = 256
    max_axes: int = 8
    max_ratio: int = 200
    max_vocab: int = MIB  # strings
    least_memory: int = 1024 * MIB

    @property
    def memory(self) -> int:
        """Limit in bytes: holds a float16 upload as float32, and its copy by a mapping."""
        return max(self.least_memory, 4 * self.max_bytes)

    def check_count(self, count: int) -> None:
        if count == 0:
            raise BadWeights("no_tensors")
        if count > self.max_tensors:
            raise BadWeights("too_many_tensors", count=count, limit=self.max_tensors)

    def check_name(self, name: str) -> None:
        """Raises BadWeightsFile for empty, long, unprintable or path-traversing names."""
        if not name or len(name) > self.max_name_length:
            raise BadWeights("name_length", tensor=printable_name(name), limit=self.max_name_length)
        if UNPRINTABLE.search(name) or PATH_TRAVERSAL.search(name):
            raise BadWeights("unsafe_name", tensor=printable_name(name))

    def check_shape(self, name: str, shape: tuple[int, ...]) -> None:
        if 0 in shape:
            raise BadWeights("empty_tensor", tensor=name, shape=list(shape))
        if len(shape) > self.max_axes:
            raise BadWeights("too_many_axes", tensor=name, axes=len(shape), limit=self.max_axes)


class Budget:
    """Counts bytes before allocation. Raises BadWeightsFile beyond the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unpacked = 0
        self.held = 0
        self.most = 0

    def unpack(self, size: int) -> None:
        self.unpacked += size
        if self.unpacked > self.limits.max_bytes:
            raise BadWeights("unpacks_too_large", bytes=self.unpacked, limit=self.limits.max_bytes)

    def make(self, size: int) -> None:
        self.held += size
        self.most = max(self.most, self.held)
        if self.held > self.limits.memory:
            raise BadWeights("too_much_memory", bytes=self.held, limit=self.limits.memory)

    @contextmanager
    def reserve_temporarily(self, size: int) -> Iterator[None]:
        self.make(size)
        yield
        self.held -= size


@dataclass(frozen=True)
class WeightsFile:
    """Arrays are float64, float32 (also for half precision), or of types that layouts refuse.

    `dtypes`: in the file. `vocab`: JSON text, an array, or a tuple of checked strings. `as_stored`:
    targets mapped from a `.weight` without `transpose`: perhaps output × input.
    """

    arrays: dict[str, np.ndarray]
    dtypes: dict[str, str]
    metadata: dict[str, str]
    vocab: object = None
    budget: Budget = field(default_factory=lambda: Budget(Limits()))
    as_stored: tuple[str, ...] = ()

    def check_finite(self) -> None:
        """Raises NonFinite at the first index."""
        for name, array in self.arrays.items():
            if array.dtype.kind != "f":
                continue
            flat = array.reshape(-1)
            for start in range(0, flat.size, SEARCHED):
                finite = np.isfinite(flat[start : start + SEARCHED])
                if not finite.all():
                    at = start + int(np.argmin(finite))
                    index = [int(i) for i in np.unravel_index(at, array.shape)]
                    raise NonFinite(
                        "in_tensor", at="weights", tensor=name, index=index, value=str(flat[at])
                    )


def printable_name(name: str) -> str:
    return repr(name[:80])[1:-1]


def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for name, value in pairs:
        if name in names:
            raise BadWeights("duplicate_name", tensor=printable_name(name))
        names[name] = value
    return names
