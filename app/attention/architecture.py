"""What a model is made of, beside its numbers: one value that everything which runs it reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from app.attention.parameters import Shape
from app.attention.positions import BUCKETS, Positions, Relative
from app.attention.rotary import PAPER, Rotary

AskedBlock = Literal["attention", "residual", "pre_norm", "post_norm", "sublayer_norm"]
Block = Literal[AskedBlock, "sandwich_norm", "parallel"]
BlockOrDecoder = Literal[AskedBlock, "decoder"]
Activation = Literal["gelu_tanh", "gelu", "relu", "silu"]
NormKind = Literal["layer", "rms"]
EPSILON = 1e-5  # keeps a row of equal numbers from a division by zero


@dataclass(frozen=True)
class Own:
    """What one layer has of its own, where layers differ; None: as the model has it."""

    window: int | None = None
    rotary: Rotary | None = None
    scale: float | None = None

    def of_text(self, rows: int) -> Own:
        """In a text of so many rows."""
        turned = None if self.rotary is None else self.rotary.of_text(rows)
        return self if turned is self.rotary else replace(self, rotary=turned)


@dataclass(frozen=True)
class Architecture:
    """The sizes of each layer, how many there are, and what lies around attention in them.

    Of the `positions`, rotary, alibi and relative act inside attention; `mlp_width` is how many
    hidden numbers an MLP has, 0 where there is none; `final_norm` is a norm behind the last layer,
    before the unembedding; `epsilon` is added to the variance in each norm. What no layer has is
    not asked for: one without w_o ends at concat.

    A checkpoint may have more: norms that take no mean off (`rms`), a `gated` MLP, its own rotary
    positions, its own `scale` of the scores (None: 1/√d_k), a cap on the scaled scores, a `window`,
    slopes of ALiBi times `alibi_factor`, buckets of `relative` distances, norms of the rows of q
    and k (`normed_heads`), and a window, rotary positions and a scale of each layer's `own`.

    A block of a `decoder` is two layers: one that attends to its own x, and one that attends to the
    context and has the block's MLP (Vaswani et al. 2017, section 3.1). Below them may lie the
    `encoder_layers` that make this context of the source, as wide as it: each attends to its own x.
    """

    shape: Shape
    num_layers: int = 1
    block: Block = "attention"
    positions: Positions = "none"
    mlp_width: int = 0
    activation: Activation = "gelu_tanh"
    final_norm: bool = False
    decoder: bool = False
    encoder_layers: int = 0
    epsilon: float = EPSILON
    norm: NormKind = "layer"
    gated: bool = False
    rotary: Rotary = PAPER
    scale: float | None = None
    score_cap: float | None = None
    window: int | None = None
    alibi_factor: float = 1.0
    normed_heads: bool = False
    relative: Relative = BUCKETS
    own: tuple[Own, ...] = ()

    def at(self, layer: int) -> Architecture:
        """What one layer is made of. Positions inside attention compare places of one text: where a
        decoder attends to the context, they say nothing."""
        if self.own:
            one = self.own[layer]
            return replace(
                self, own=(), window=one.window, rotary=one.rotary or self.rotary,
                scale=self.scale if one.scale is None else one.scale,
            )  # fmt: skip
        if self.encodes(layer):
            return replace(self, relative=replace(self.relative, both_ways=True))
        if not self.decoder:
            return self
        if not self.asks(layer):
            return replace(self, mlp_width=0)
        inside = self.positions in ("rotary", "alibi", "relative")
        return replace(self, positions="none") if inside else self

    def encodes(self, layer: int) -> bool:
        """Whether a layer is one of the encoder's."""
        return layer < self.encoder_layers

    def asks(self, layer: int) -> bool:
        """Whether a layer of a decoder attends to the context: every other one does."""
        return not self.encodes(layer) and (layer - self.encoder_layers) % 2 == 1

    def starts(self, layer: int) -> bool:
        """Whether the x of a layer is made of embeddings, and not by the layer before it."""
        return layer in (0, self.encoder_layers)

    @property
    def kinds(self) -> tuple[range, ...]:
        """The layers by whose words they have and whose keys: an encoder's, those of a decoder that
        attend to themselves, those that attend to the context; without a decoder they are alike."""
        first, turns = self.encoder_layers, 2 if self.decoder else 1
        told = [range(first + turn, self.num_layers, turns) for turn in range(turns)]
        return (range(first), *told) if first else tuple(told)

    def of_text(self, rows: int) -> Architecture:
        """The same in a text of so many rows, which may change how positions are turned."""
        rotary, own = self.rotary.of_text(rows), tuple(one.of_text(rows) for one in self.own)
        changed = rotary is not self.rotary or own != self.own
        return replace(self, rotary=rotary, own=own) if changed else self

    @property
    def adds_up(self) -> bool:
        """Whether what a layer receives is x plus what every sublayer below it wrote: the residual
        stream (Elhage et al. 2021, "A mathematical framework for transformer circuits")."""
        return self.block in ("residual", "pre_norm", "sandwich_norm", "parallel")

    @property
    def norms_input(self) -> bool:
        """Whether what attention receives is a norm of x."""
        return self.block in ("pre_norm", "sandwich_norm", "parallel")

    @property
    def own_scale(self) -> float:
        """What the scores are multiplied by where nobody asks for something else."""
        return 1 / math.sqrt(self.shape.d_k) if self.scale is None else self.scale
