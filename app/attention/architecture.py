"""What a model is made of, beside its numbers: one value that everything which runs it reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from app.attention.parameters import Shape
from app.attention.positions import Positions

Block = Literal["attention", "residual", "pre_norm", "post_norm", "sublayer_norm"]
BlockOrDecoder = Literal[Block, "decoder"]
Activation = Literal["gelu_tanh", "gelu", "relu"]
EPSILON = 1e-5  # keeps a row of equal numbers from a division by zero


@dataclass(frozen=True)
class Architecture:
    """The sizes of each layer, how many there are, and what lies around attention in them.

    Of the `positions`, rotary and alibi act inside attention; `mlp_width` is how many hidden
    numbers an MLP has, 0 where there is none; `final_norm` is a norm behind the last layer, before
    the unembedding; `epsilon` is added to the variance in each norm. What no layer has is not asked
    for: one without w_o ends at concat.

    A block of a `decoder` is two layers: one that attends to its own x, and one that attends to the
    context and has the block's MLP (Vaswani et al. 2017, section 3.1).
    """

    shape: Shape
    num_layers: int = 1
    block: Block = "attention"
    positions: Positions = "none"
    mlp_width: int = 0
    activation: Activation = "gelu_tanh"
    final_norm: bool = False
    decoder: bool = False
    epsilon: float = EPSILON

    def at(self, layer: int) -> Architecture:
        """What one layer is made of. Positions inside attention compare places of one text: where a
        decoder attends to the context, they say nothing."""
        if not self.decoder:
            return self
        if layer % 2 == 0:
            return replace(self, mlp_width=0)
        return replace(self, positions="none") if self.positions in ("rotary", "alibi") else self

    @property
    def adds_up(self) -> bool:
        """Whether what a layer receives is x plus what every sublayer below it wrote: the residual
        stream (Elhage et al. 2021, "A mathematical framework for transformer circuits")."""
        return self.block in ("residual", "pre_norm")
