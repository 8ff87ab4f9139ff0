from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from cmap import Colormap
from jaxtyping import Bool, Float, UInt8

Use = Literal["diverging", "sequential"]
LIGHT: dict[str, str] = {"diverging": "colorbrewer:RdBu", "sequential": "colorbrewer:YlGnBu"}
BRIGHT = 0.179  # luminance above which text is black


@cache
def colors_of(use: Use) -> UInt8[np.ndarray, "256 3"]:
    """RGB of 256 steps."""
    rounded: np.ndarray = np.rint(255 * Colormap(LIGHT[use]).lut(256)[:, :3])
    return rounded.astype(np.uint8)


@cache
def is_bright(use: Use) -> Bool[np.ndarray, " 256"]:
    """Whether a colour needs black text (WCAG)."""
    part: Float[np.ndarray, "256 3"] = colors_of(use) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    bright: np.ndarray = linear @ np.array([0.2126, 0.7152, 0.0722]) > BRIGHT
    return bright
