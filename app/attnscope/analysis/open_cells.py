from __future__ import annotations

import numpy as np
from jaxtyping import Integer

from attnscope.attention.masks import Mask

Each = Integer[np.ndarray, " rows"]


def open_cells(mask: Mask, n: int) -> int:
    """Count cells that the causal mask and the patterns leave open."""
    rows = np.arange(n, dtype=np.int64)
    end = rows + 1 if mask.causal else np.full(n, n, np.int64)
    if not mask.patterns:
        return int(end.sum())
    first = np.where(rows < mask.global_tokens, end, np.minimum(mask.global_tokens, end))
    near, far = _near_keys(mask, rows)
    # Keys 0 … first and near … far are open, and others at the stride.
    near, far = np.maximum(near, first), np.minimum(far, end)
    far = np.maximum(near, far)
    found = first + far - near
    if mask.stride is not None:
        between = _count_stride(rows, first, near, mask.stride)
        found = found + between + _count_stride(rows, far, np.maximum(far, end), mask.stride)
    return int(found.sum())


def _near_keys(mask: Mask, rows: Each) -> tuple[Each, Each]:
    """Window and block leave no gap, as both contain the query."""
    near, far = rows, rows
    if mask.window is not None:
        near, far = rows - mask.window + 1, rows + mask.window
    if mask.block_size is not None:
        start = rows // mask.block_size * mask.block_size
        near, far = np.minimum(near, start), np.maximum(far, start + mask.block_size)
    return near, far


def _count_stride(rows: Each, start: Each, end: Each, stride: int) -> Each:
    found: Each = (end - 1 - rows) // stride - (start - 1 - rows) // stride
    return found
