""".safetensors files in every dtype."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from safetensors import TensorSpec, serialize

BFLOAT16 = "bfloat16"


def write_safetensors(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str], dtype: str | None = None
) -> bytes:
    """`dtype`: in the file."""
    keep = {name: np.ascontiguousarray(_narrow(array, dtype)) for name, array in arrays.items()}
    specs = {
        name: TensorSpec(
            dtype=BFLOAT16 if dtype == BFLOAT16 else array.dtype.name,
            shape=arrays[name].shape,
            data_ptr=array.ctypes.data,
            data_len=array.nbytes,
        )
        for name, array in keep.items()
    }
    return bytes(serialize(specs, dict(metadata)))


def _narrow(array: np.ndarray, dtype: str | None) -> np.ndarray:
    if dtype == BFLOAT16:
        bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
        return (bits >> 16).astype(np.uint16)
    return array if dtype is None else array.astype(dtype)
