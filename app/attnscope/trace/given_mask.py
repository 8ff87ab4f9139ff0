"""A mask of 0 and 1, with the axes of the maps."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool

from attnscope.errors import ShapeMismatch

AXES = ("batch", "head", "query", "key")
FOUR_AXES = {2: (None, None), 3: (slice(None), None), 4: ()}
SHARED = {2: ("batch", "head"), 3: ("head", "query"), 4: ("head",)}  # broadcast from size 1


def given_mask(
    mask: Bool[np.ndarray, "*axes"] | None, at: str, sizes: tuple[int, int, int, int]
) -> Bool[np.ndarray, "batch head query key"] | None:
    """Two to four axes become four; size 1 broadcasts. Raises ShapeMismatch."""
    if mask is None:
        return None
    every = mask[FOUR_AXES[mask.ndim]]
    for axis, size, wanted in zip(AXES, every.shape, sizes, strict=True):
        if size != wanted and not (size == 1 and axis in SHARED[mask.ndim]):
            raise ShapeMismatch("mask_axis", at=at, name=at, axis=axis, size=size, wanted=wanted)
    return every
