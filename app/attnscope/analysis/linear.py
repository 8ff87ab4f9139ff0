from __future__ import annotations

import numpy as np

from attnscope.analysis.schema import Real, RealRows, described, doc
from attnscope.attention.linear import linear_outputs, linear_weights


@described
class LinearHead:
    weights: RealRows = doc("[query][key] of the real tokens; null where numbers overflow.")
    weights_difference: Real = doc("Largest from the softmax's weights.")
    output_difference: Real = doc("Largest from the softmax's head output.")
    sums_difference: float | None = doc(
        "Largest between the outputs from running sums and from the map; null unless the mask "
        "is causal or open, as sums cannot leave out cells."
    )


def linear_head(
    projected: tuple[np.ndarray, np.ndarray, np.ndarray],
    allowed: np.ndarray,
    weights: np.ndarray,
    outputs: np.ndarray,
) -> LinearHead:
    """`projected`: q [n, d_k], k [m, d_k], v [m, d_v]. `weights` [n, m] and `outputs` [n, d_v] are
    those of the softmax. Numbers that overflow become NaN."""
    q, k, v = (a.astype(np.float64) for a in projected)
    with np.errstate(over="ignore", invalid="ignore"):
        linear = linear_weights(q, k, allowed)
        expected = linear @ v
        sums = None
        causal = len(q) == len(k) and np.array_equal(allowed, np.tri(len(q), dtype=bool))
        if causal or allowed.all():
            straight = linear_outputs(q, k, v, causal=causal)
            sums = float(np.abs(straight - expected).max())
        return LinearHead(
            linear,
            float(np.abs(linear - weights).max()),
            float(np.abs(expected - outputs).max()),
            sums,
        )
