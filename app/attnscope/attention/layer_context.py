"""Settings of a layer; its stages, stored or recomputed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float, Integer

from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.dtypes import Grid
from attnscope.attention.masks import KnockedOutCells, Mask

MAPS = ("scores", "scaled_scores", "masked_scores", "weights")


@dataclass(frozen=True)
class Options:
    scale: float
    temperature: float = 1.0
    mask: Mask = field(default_factory=Mask)
    grid: Grid | None = None
    by_model: bool = False

    def of_layer(self, architecture: Architecture) -> Options:
        scale = architecture.effective_scale if self.by_model else self.scale
        if scale == self.scale and architecture.window == self.mask.within:
            return self
        return replace(self, scale=scale, mask=replace(self.mask, within=architecture.window))


@dataclass(frozen=True)
class ContextMask:
    mask: Mask
    lengths: list[tuple[int, int]]

    def of_text(self, batch: int) -> ContextMask:
        return ContextMask(self.mask.of_text(batch), [self.lengths[batch]])


@dataclass(frozen=True)
class LayerContext:
    """`lengths`: queries and keys of each text, without padding. `drop`: (layer, head) that are 0
    in concat. `asked` replaces mask and lengths in layers that attend to the context, `encoder` in
    layers that compute the context. `positions`: positions of the rows of x, by default 0, 1, …
    `maps`: maps kept whole."""

    architecture: Architecture
    lengths: list[tuple[int, int]]
    options: Options
    context: Float[np.ndarray, "batch key d_model"] | None = None
    drop: frozenset[tuple[int, int]] = frozenset()
    knockouts: Mapping[int, KnockedOutCells] = field(default_factory=dict)  # layer → cells
    positions: Integer[np.ndarray, "batch query"] | None = None
    layer: int = 0
    asked: ContextMask | None = None
    encoder: ContextMask | None = None
    maps: tuple[str, ...] = MAPS
    # Called between pieces of work, in the thread of the request; may raise to cancel.
    between: Callable[[], object] | None = field(default=None, compare=False)

    def of_text(self, batch: int, context: np.ndarray | None = None) -> LayerContext:
        mask = self.options.mask.of_text(batch)
        return replace(
            self, lengths=[self.lengths[batch]], options=replace(self.options, mask=mask),
            context=None if context is None else context[None],
            positions=None if self.positions is None else self.positions[batch : batch + 1],
            asked=self.asked and self.asked.of_text(batch),
            encoder=self.encoder and self.encoder.of_text(batch),
        )  # fmt: skip

    def at(self, layer: int) -> LayerContext:
        architecture = self.architecture.at(layer)
        options = self.options.of_layer(architecture)
        own = architecture is not self.architecture or options is not self.options or self.knockouts
        if not own and layer == self.layer and self.asked is self.encoder is None:
            return self
        one = replace(self, layer=layer, architecture=architecture, options=options)
        if self.encoder is not None and self.architecture.is_encoder_layer(layer):
            options = replace(self.options, mask=self.encoder.mask)
            one = replace(one, options=options, lengths=self.encoder.lengths, context=None)
        elif self.asked is not None and not self.architecture.is_cross_attention(layer):
            one = replace(one, context=None)
        elif self.asked is not None:
            options = replace(self.options, mask=self.asked.mask)
            one = replace(one, options=options, lengths=self.asked.lengths)
        return one._knocked() if self.knockouts else one

    def _knocked(self) -> LayerContext:
        mask = replace(self.options.mask, knocked=self.knockouts.get(self.layer, frozenset()))
        return replace(self, options=replace(self.options, mask=mask))

    def places(self, first: int, rows: int) -> Integer[np.ndarray, "*batch rows"]:
        if self.positions is None:
            return np.arange(first, first + rows)
        return self.positions[:, first : first + rows]

    def place(self, batch: int, row: int) -> int:
        return row if self.positions is None else int(self.positions[batch, row])

    @property
    def shape(self) -> Shape:
        return self.architecture.shape

    @property
    def dropped(self) -> list[int]:
        return sorted(head for layer, head in self.drop if layer == self.layer)


class LayerStages(Mapping[str, np.ndarray]):
    @property
    def kept(self) -> Mapping[str, np.ndarray]:
        """Stages in memory."""
        return self

    @property
    def row_sums(self) -> Float[np.ndarray, "batch head row"]:
        sums: np.ndarray = self["weights"].sum(axis=-1)
        return sums

    def may_overflow(self) -> bool:
        """Whether a recomputed map may hold infinities or NaN."""
        return False

    def head(self, name: str, batch: int, head: int) -> Float[np.ndarray, "row col"]:
        """In long texts a map is no array: it has only a shape and indexing."""
        one: np.ndarray = self[name][batch, head]
        return one

    def rows(self, name: str, batch: int, rows: slice) -> Float[np.ndarray, "head rows key"]:
        some: np.ndarray = self[name][batch][:, rows]
        return some


class StoredStages(dict[str, np.ndarray], LayerStages):
    """Stages that are all in memory."""
