"""A look past the sink: weights without some keys, each row brought back to a sum of 1.

Many heads put most of their weight on the first token whatever the text (Xiao et al. 2023,
"Efficient streaming language models with attention sinks"); without it the rest differs visibly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def without_keys(
    weights: Float[np.ndarray, "*heads n m"], keys: Sequence[int]
) -> Float[np.ndarray, "*heads n m"]:
    """The weights with 0 in the columns of some keys and each row divided by the sum of the others,
    float64. A row of which nothing is left is 0. Keys beyond the last are ignored, as in layers
    that have fewer keys than others."""
    rest = weights.astype(np.float64)
    rest[..., [key for key in keys if key < rest.shape[-1]]] = 0
    sums = rest.sum(axis=-1, keepdims=True)
    np.divide(rest, sums, out=rest, where=sums > 0)
    return rest
