from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import UInt8

from attnscope.trace.stage_map import Extent, Picture

Spacing = Literal["even", "root", "log"]
STEPS = 254  # 255 is for closed cells
CLOSED = 255
FINEST = 1e-6  # share of the extent up to which logarithmic spacing is nearly linear


def eight_bits(
    picture: Picture, extent: Extent, spacing: Spacing = "even"
) -> UInt8[np.ndarray, "rows cols"]:
    """Scale the extent to 0 … 254; closed cells and NaN become 255."""
    values, low, high = picture.values.astype(np.float64), extent.low, extent.high
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isinf(high - low):
            values, low, high = values / 2, low / 2, high / 2
        part = np.clip((values - low) / ((high - low) or np.inf), 0, 1)
        if spacing == "root":
            part = np.sqrt(part)
        elif spacing == "log":
            part = np.log1p(part / FINEST) / np.log1p(1 / FINEST)
        steps = np.rint(STEPS * part)
    return np.where(picture.closed | np.isnan(steps), CLOSED, steps).astype(np.uint8)
