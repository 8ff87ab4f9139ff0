"""What a layer is asked, beside its own tensors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from app.attention.dtypes import Grid
from app.attention.masks import Mask
from app.attention.parameters import Shape
from app.attention.positions import Positions

Block = Literal["attention", "residual", "pre_norm", "post_norm", "sublayer_norm"]


@dataclass(frozen=True)
class Options:
    """What a question says about attention itself; `scale` multiplies the scores, and of the
    `positions`, rotary and alibi act in here; `grid` is what half precision rounds to."""

    scale: float
    temperature: float = 1.0
    mask: Mask = field(default_factory=Mask)
    positions: Positions = "none"
    grid: Grid | None = None


@dataclass(frozen=True)
class Setting:
    """The sizes of a layer; the real queries and keys of each batch row, behind which is padding;
    the options; the kind of block; and the context that every layer attends to, as it is, where
    there is one. All of it is the same in every layer, but for the heads that are `dropped`: they
    compute as ever, and their columns of concat are 0."""

    shape: Shape
    lengths: list[tuple[int, int]]
    options: Options
    block: Block = "attention"
    context: Float[np.ndarray, "batch key d_model"] | None = None
    drop: frozenset[tuple[int, int]] = frozenset()  # layer, head
    layer: int = 0

    def at(self, layer: int) -> Setting:
        """The setting of one layer."""
        return replace(self, layer=layer)

    @property
    def dropped(self) -> list[int]:
        """The layer's own heads that are dropped."""
        return sorted(head for layer, head in self.drop if layer == self.layer)
