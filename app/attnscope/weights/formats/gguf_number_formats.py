"""GGUF number formats. `gguf` is imported when needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

READ = (
    "F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K",
    "Q6_K", "IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS",
    "TQ1_0", "TQ2_0", "MXFP4",
)  # fmt: skip
PLAIN = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
TOGETHER = 1 << 22  # numbers converted at once


@dataclass(frozen=True)
class Kind:
    """`block` numbers are stored in `bytes` bytes."""

    number: int
    name: str
    block: int
    bytes: int

    @property
    def dtype_name(self) -> str:
        return PLAIN.get(self.name, self.name)


@cache
def kinds() -> dict[int, Kind]:
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

    known = {name: GGMLQuantizationType[name] for name in READ}
    return {int(one): Kind(int(one), name, *GGML_QUANT_SIZES[one]) for name, one in known.items()}


def name_of(number: int) -> str:
    from gguf.constants import GGMLQuantizationType

    known = {int(one): one.name for one in GGMLQuantizationType}
    return known.get(number, str(number))


def numbers(data: memoryview, kind: Kind, shape: tuple[int, ...]) -> np.ndarray:
    """Return float32: a view of F32, else a copy. Invalid scales give NaN or ±∞."""
    if kind.name == "F32":
        return np.frombuffer(data, np.float32).reshape(shape)
    from gguf.constants import GGMLQuantizationType
    from gguf.quants import dequantize

    width = shape[-1]
    rows = np.frombuffer(data, np.uint8).reshape(-1, width // kind.block * kind.bytes)
    found = np.empty((len(rows), width), np.float32)
    step = max(1, TOGETHER // width)
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            found[part] = dequantize(rows[part], GGMLQuantizationType(kind.number))
    return found.reshape(shape)
