from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from struct import Struct

import numpy as np

from attnscope.errors import BadWeightsFile

SCALARS = {
    number: np.dtype(name)
    for number, name in {
        0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?", 10: "<u8",
        11: "<i8", 12: "<f8",
    }.items()
}  # fmt: skip
TEXT, ARRAY = 8, 9
LONGEST = 64 << 20  # bytes of a list of strings
LENGTH = Struct("<Q")


@dataclass(frozen=True)
class Value:
    array: bool
    item: int
    count: int
    begin: int
    end: int


class Metadata:
    """Raises BadWeightsFile for values of other types, and for missing keys without default."""

    def __init__(self, data: memoryview, file: str, values: dict[str, Value]) -> None:
        self._data, self.file, self._values = data, file, values

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def text(self, key: str, default: str | None = None) -> str:
        if key not in self and default is not None:
            return default
        return self._texts(self._value(key, {TEXT}, array=False), key)[0]

    def flag(self, key: str, default: bool | None = None) -> bool:
        return bool(self._scalar(key, "b", default))

    def whole(self, key: str, default: int | None = None) -> int:
        return int(self._scalar(key, "iu", default))

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number. float32 becomes its shortest decimal: 1e-05, not 9.99999974e-06."""
        number = float(str(self._scalar(key, "f", default)))
        if not isfinite(number):
            raise self.refused(key)
        return number

    def texts(self, key: str) -> list[str]:
        return self._texts(self._value(key, {TEXT}, array=True), key)

    def numbers(self, key: str) -> np.ndarray:
        value = self._value(key, set(SCALARS), array=True)
        return np.frombuffer(self._data[value.begin : value.end], SCALARS[value.item])

    def refused(self, key: str) -> BadWeightsFile:
        return BadWeightsFile("gguf_value", at=self.file, key=key)

    def _value(self, key: str, types: set[int], *, array: bool) -> Value:
        value = self._values.get(key)
        if value is None:
            raise BadWeightsFile("gguf_no_key", at=self.file, key=key)
        if value.item not in types or value.array != array:
            raise self.refused(key)
        return value

    def _scalar(self, key: str, kinds: str, default: float | None) -> np.generic | float:
        if key not in self and default is not None:
            return default
        types = {number for number, dtype in SCALARS.items() if dtype.kind in kinds}
        value = self._value(key, types, array=False)
        found = np.frombuffer(self._data[value.begin : value.end], SCALARS[value.item])
        scalar: np.generic = found[0]
        return scalar

    def _texts(self, value: Value, key: str) -> list[str]:
        if value.end - value.begin > LONGEST:
            raise BadWeightsFile("gguf_long", at=self.file, key=key, limit=LONGEST)
        data, at, length = self._data, value.begin, LENGTH.unpack_from
        found = []
        try:
            for _ in range(value.count):
                begin = at + 8
                at = begin + length(data, at)[0]
                found.append(str(data[begin:at], "utf-8"))
        except UnicodeDecodeError:
            raise BadWeightsFile("gguf_text", at=self.file, key=key) from None
        return found
