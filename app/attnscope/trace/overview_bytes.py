from __future__ import annotations

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from attnscope.attention.flash_pass import RowSums
from attnscope.attention.level import Level
from attnscope.attention.overview import Overview, Rows

FORM = 1  # version


def to_bytes(overview: Overview) -> bytes:
    extremes = np.array([overview.low, overview.high])
    numbers = np.array([FORM, overview.side])
    arrays = {**_arrays(overview), "extremes": extremes, "numbers": numbers}
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def from_bytes(data: bytes) -> Overview | None:
    """None if the bytes are of another version or damaged."""
    try:
        arrays = load(data)
        form, side = arrays["numbers"].tolist()
        if form != FORM:
            return None
        low, high = arrays["extremes"].tolist()
        level = Level(*(arrays[f"level.{name}"] for name in Level._fields))
        if "row.entropy" not in arrays:
            return Overview(side, level, low, high, None)
        sums = RowSums(*(arrays[f"sums.{name}"] for name in RowSums._fields))
        others = (arrays[f"row.{name}"] for name in Rows._fields if name != "sums")
        return Overview(side, level, low, high, Rows(sums, *others))
    except (SafetensorError, LookupError, ValueError):
        return None


def size_of(overview: Overview) -> int:
    return sum(array.nbytes for array in _arrays(overview).values())


def _arrays(overview: Overview) -> dict[str, np.ndarray]:
    arrays = {f"level.{name}": array for name, array in overview.level._asdict().items()}
    if overview.rows is None:
        return arrays
    sums = {f"sums.{name}": array for name, array in overview.rows.sums._asdict().items()}
    rows = overview.rows._asdict().items()
    return {**arrays, **sums, **{f"row.{name}": array for name, array in rows if name != "sums"}}
