"""What a layer is asked, beside its own tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float, Integer

from app.attention.architecture import Architecture
from app.attention.dtypes import Grid
from app.attention.masks import Knocked, Mask
from app.attention.parameters import Shape


@dataclass(frozen=True)
class Options:
    """What a question says about attention itself; `scale` multiplies the scores, and is each
    layer's own where nobody asked for another (`by_model`); `grid` is what half precision rounds
    to."""

    scale: float
    temperature: float = 1.0
    mask: Mask = field(default_factory=Mask)
    grid: Grid | None = None
    by_model: bool = False

    def of_layer(self, architecture: Architecture) -> Options:
        """With the scale and the window of a layer."""
        scale = architecture.own_scale if self.by_model else self.scale
        if scale == self.scale and architecture.window == self.mask.within:
            return self
        return replace(self, scale=scale, mask=replace(self.mask, within=architecture.window))


@dataclass(frozen=True)
class Asked:
    """What is another in the layers of a decoder that attend to the context, and in those of an
    encoder: the mask, and the real queries and keys of each batch row."""

    mask: Mask
    lengths: list[tuple[int, int]]

    def of_text(self, batch: int) -> Asked:
        """The same for one row of the batch alone."""
        return Asked(self.mask.of_text(batch), [self.lengths[batch]])


@dataclass(frozen=True)
class Setting:
    """What the model is made of; the real queries and keys of each batch row, behind which is
    padding; the options; and the context that every layer attends to, as it is, where there is
    one. All of it is the same in every layer, but for the heads that are `dropped`: they compute
    as ever, and their columns of concat are 0. In a decoder only every other layer attends to the
    context, and is `asked` otherwise; so are those of the `encoder` that makes it. Rows of x stand
    at the `positions` that were asked for, else at 0, 1, 2 …"""

    architecture: Architecture
    lengths: list[tuple[int, int]]
    options: Options
    context: Float[np.ndarray, "batch key d_model"] | None = None
    drop: frozenset[tuple[int, int]] = frozenset()  # layer, head
    knockouts: Mapping[int, Knocked] = field(default_factory=dict)  # layer → cells of its heads
    positions: Integer[np.ndarray, "batch query"] | None = None
    layer: int = 0
    asked: Asked | None = None
    encoder: Asked | None = None
    keeps_maps: bool = True  # whether the maps are handed out, or only what comes of them
    # Called now and then in the midst of what takes long, in the thread that asked: it may raise.
    between: Callable[[], object] | None = field(default=None, compare=False)

    def of_text(self, batch: int, context: np.ndarray | None = None) -> Setting:
        """The same for one row of the batch alone, with its context."""
        mask = self.options.mask.of_text(batch)
        return replace(
            self, lengths=[self.lengths[batch]], options=replace(self.options, mask=mask),
            context=None if context is None else context[None],
            positions=None if self.positions is None else self.positions[batch : batch + 1],
            asked=self.asked and self.asked.of_text(batch),
            encoder=self.encoder and self.encoder.of_text(batch),
        )  # fmt: skip

    def at(self, layer: int) -> Setting:
        """The setting of one layer."""
        architecture = self.architecture.at(layer)
        options = self.options.of_layer(architecture)
        own = architecture is not self.architecture or options is not self.options or self.knockouts
        if not own and layer == self.layer and self.asked is self.encoder is None:
            return self
        one = replace(self, layer=layer, architecture=architecture, options=options)
        if self.encoder is not None and self.architecture.encodes(layer):
            options = replace(self.options, mask=self.encoder.mask)
            one = replace(one, options=options, lengths=self.encoder.lengths, context=None)
        elif self.asked is not None and not self.architecture.asks(layer):
            one = replace(one, context=None)
        elif self.asked is not None:
            options = replace(self.options, mask=self.asked.mask)
            one = replace(one, options=options, lengths=self.asked.lengths)
        return one._knocked() if self.knockouts else one

    def _knocked(self) -> Setting:
        """With the knockouts of its layer in the mask."""
        mask = replace(self.options.mask, knocked=self.knockouts.get(self.layer, frozenset()))
        return replace(self, options=replace(self.options, mask=mask))

    def places(self, first: int, rows: int) -> Integer[np.ndarray, "*batch rows"]:
        """Positions of `rows` rows of x, from row `first` on."""
        if self.positions is None:
            return np.arange(first, first + rows)
        return self.positions[:, first : first + rows]

    def place(self, batch: int, row: int) -> int:
        """The position of one row of x."""
        return row if self.positions is None else int(self.positions[batch, row])

    @property
    def shape(self) -> Shape:
        """The sizes of a layer."""
        return self.architecture.shape

    @property
    def dropped(self) -> list[int]:
        """The layer's own heads that are dropped."""
        return sorted(head for layer, head in self.drop if layer == self.layer)
