"""Maps without some keys, such as attention sinks (Xiao et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def without_keys(
    weights: Float[np.ndarray, "*heads n m"], keys: Sequence[int]
) -> Float[np.ndarray, "*heads n m"]:
    """Divide rows by the sum of the remaining weights, in float64. Rows without remaining weights
    become 0."""
    rest = weights.astype(np.float64)
    rest[..., [key for key in keys if key < rest.shape[-1]]] = 0
    sums = rest.sum(axis=-1, keepdims=True)
    np.divide(rest, sums, out=rest, where=sums > 0)
    return rest
