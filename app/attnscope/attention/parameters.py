"""Tensors of a layer. q = x w_q + b_q. A head is columns of w_q, w_k and w_v, and rows of w_o."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnscope.attention.dtypes import Grid, round_to_grid

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
        """`out`: width of w_o, by default d_model."""
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
