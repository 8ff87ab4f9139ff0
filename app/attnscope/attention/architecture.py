"""Tensors and settings of a model's layers. A head is columns of w_q, w_k and w_v, rows of w_o."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from attnscope.attention.dtypes import Grid, round_to_grid
from attnscope.attention.positions import BUCKETS, PAPER, Positions, Relative, Rotary

TENSORS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
NORM_TENSORS = ("norm_gain", "norm_bias")
MLP_TENSORS = ("w_in", "b_in", "w_out", "b_out")
MLP_NORM_TENSORS = ("mlp_norm_gain", "mlp_norm_bias")
ALL_TENSORS = (*TENSORS, *NORM_TENSORS, *MLP_TENSORS, *MLP_NORM_TENSORS)


@dataclass(frozen=True)
class Shape:
    num_heads: int
    num_kv_heads: int
    d_model: int
    d_k: int
    d_v: int

    @property
    def queries_per_kv_head(self) -> int:
        return self.num_heads // self.num_kv_heads

    def kv_head_of(self, head: int) -> int:
        return head // self.queries_per_kv_head

    def of(self, tensor: str, out: int | None = None) -> tuple[int, ...]:
        """`out`: columns of w_o, by default d_model."""
        out = self.d_model if out is None else out
        q, k = self.num_heads * self.d_k, self.num_kv_heads * self.d_k
        v, concat = self.num_kv_heads * self.d_v, self.num_heads * self.d_v
        rows = {"q": self.d_model, "k": self.d_model, "v": self.d_model, "o": concat}
        columns = {"q": q, "k": k, "v": v, "o": out}
        kind, which = tensor.split("_")
        return (rows[which], columns[which]) if kind == "w" else (columns[which],)


@dataclass(frozen=True)
class Parameters:
    """Without w_o the output is concat; without w_in there is no MLP."""

    w_q: Float[np.ndarray, "d_model q_width"]
    w_k: Float[np.ndarray, "d_model k_width"]
    w_v: Float[np.ndarray, "d_model v_width"]
    w_o: Float[np.ndarray, "concat_width out"] | None = None
    b_q: Float[np.ndarray, " q_width"] | None = None
    b_k: Float[np.ndarray, " k_width"] | None = None
    b_v: Float[np.ndarray, " v_width"] | None = None
    b_o: Float[np.ndarray, " out"] | None = None
    norm_gain: Float[np.ndarray, " d_model"] | None = None
    norm_bias: Float[np.ndarray, " d_model"] | None = None
    w_in: Float[np.ndarray, "d_model hidden"] | None = None
    b_in: Float[np.ndarray, " hidden"] | None = None
    w_out: Float[np.ndarray, "hidden d_model"] | None = None
    b_out: Float[np.ndarray, " d_model"] | None = None
    mlp_norm_gain: Float[np.ndarray, " d_model"] | None = None
    mlp_norm_bias: Float[np.ndarray, " d_model"] | None = None
    w_gate: Float[np.ndarray, "d_model hidden"] | None = None
    b_gate: Float[np.ndarray, " hidden"] | None = None
    q_norm_gain: Float[np.ndarray, " d_k"] | None = None
    q_norm_bias: Float[np.ndarray, " d_k"] | None = None
    k_norm_gain: Float[np.ndarray, " d_k"] | None = None
    k_norm_bias: Float[np.ndarray, " d_k"] | None = None
    post_norm_gain: Float[np.ndarray, " d_model"] | None = None
    mlp_post_norm_gain: Float[np.ndarray, " d_model"] | None = None
    relative_bias: Float[np.ndarray, "bucket head"] | None = None  # shared by the layers of a stack

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: array for name, array in vars(self).items() if array is not None}

    def astype(self, dtype: np.dtype | type, grid: Grid | None = None) -> Parameters:
        if grid is None and all(array.dtype == dtype for array in self.arrays().values()):
            return self
        with np.errstate(over="ignore"):
            fitted = {
                name: round_to_grid(array.astype(dtype, copy=grid is not None), grid)
                for name, array in self.arrays().items()
            }
        return Parameters(**fitted)


AskedBlock = Literal["attention", "residual", "pre_norm", "post_norm", "sublayer_norm"]
Block = Literal[AskedBlock, "sandwich_norm", "parallel"]
BlockOrDecoder = Literal[AskedBlock, "decoder"]
Activation = Literal["gelu_tanh", "gelu", "relu", "silu"]
NormKind = Literal["layer", "rms"]
EPSILON = 1e-5  # keeps constant rows finite


@dataclass(frozen=True)
class LayerSettings:
    """Settings of one layer. None in `rotary` or `scale` means the model's setting."""

    window: int | None = None
    rotary: Rotary | None = None
    scale: float | None = None

    def for_length(self, rows: int) -> LayerSettings:
        turned = None if self.rotary is None else self.rotary.for_length(rows)
        return self if turned is self.rotary else replace(self, rotary=turned)


@dataclass(frozen=True)
class Architecture:
    """Kinds and sizes of layers.

    `mlp_width` 0: no MLP. `final_norm`: a norm before the unembedding. `scale` None: 1/√d_k.
    `score_cap`: soft cap on scaled scores.

    A block of a `decoder` is two layers: self-attention, then cross-attention with the MLP. The
    first `encoder_layers` compute the decoder's context.
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
    own: tuple[LayerSettings, ...] = ()

    def at(self, layer: int) -> Architecture:
        """Settings of one layer."""
        if self.own:
            one = self.own[layer]
            return replace(
                self, own=(), window=one.window, rotary=one.rotary or self.rotary,
                scale=self.scale if one.scale is None else one.scale,
            )  # fmt: skip
        if self.is_encoder_layer(layer):
            return replace(self, relative=replace(self.relative, both_ways=True))
        if not self.decoder:
            return self
        if not self.is_cross_attention(layer):
            return replace(self, mlp_width=0)
        # Cross-attention has no positions in the scores.
        inside = self.positions in ("rotary", "alibi", "relative")
        return replace(self, positions="none") if inside else self

    def is_encoder_layer(self, layer: int) -> bool:
        return layer < self.encoder_layers

    def is_cross_attention(self, layer: int) -> bool:
        """Meaningless unless `decoder`."""
        return not self.is_encoder_layer(layer) and (layer - self.encoder_layers) % 2 == 1

    def is_first_of_stack(self, layer: int) -> bool:
        return layer in (0, self.encoder_layers)

    @property
    def kinds(self) -> tuple[range, ...]:
        """Layers of equal sizes: encoder, self-attention, cross-attention."""
        first, turns = self.encoder_layers, 2 if self.decoder else 1
        ranges = [range(first + turn, self.num_layers, turns) for turn in range(turns)]
        return (range(first), *ranges) if first else tuple(ranges)

    def for_length(self, rows: int) -> Architecture:
        """Fix the rotary frequencies for `rows` tokens."""
        rotary, own = self.rotary.for_length(rows), tuple(one.for_length(rows) for one in self.own)
        changed = rotary is not self.rotary or own != self.own
        return replace(self, rotary=rotary, own=own) if changed else self

    @property
    def is_residual_sum(self) -> bool:
        """Whether x of a layer can be split into parts (Elhage et al. 2021)."""
        return self.block in ("residual", "pre_norm", "sandwich_norm", "parallel")

    @property
    def norms_input(self) -> bool:
        return self.block in ("pre_norm", "sandwich_norm", "parallel")

    @property
    def effective_scale(self) -> float:
        return 1 / math.sqrt(self.shape.d_k) if self.scale is None else self.scale
