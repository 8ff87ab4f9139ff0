"""The decoder in PyTorch, with the names and shapes of the exported file: q = x w_q."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, layer_norm, scaled_dot_product_attention

from attnscope.attention.architecture import EPSILON
from attnscope.attention.positions import PAPER
from training.recipes import Recipe


class Block(nn.Module):
    """x + attention(LN x) and, with an MLP, y + MLP(LN y)."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        d, self.heads = recipe.d_model, recipe.num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (weights(d, d) for _ in range(4))
        self.norm_gain, self.norm_bias = ones(d), zeros(d)
        self.has_mlp = recipe.hidden is not None
        if recipe.hidden is not None:
            self.w_in, self.b_in = weights(d, recipe.hidden), zeros(recipe.hidden)
            self.w_out, self.b_out = weights(recipe.hidden, d), zeros(d)
            self.mlp_norm_gain, self.mlp_norm_bias = ones(d), zeros(d)

    def forward(self, x: Tensor, turns: Tensor) -> Tensor:
        """[B, n, d] → [B, n, d]; `turns` [n, d_k / 2]: rotary angles."""
        z = norm(x, self.norm_gain, self.norm_bias)
        q, k, v = (
            (z @ w).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        heads = scaled_dot_product_attention(turned(q, turns), turned(k, turns), v, is_causal=True)
        x = x + heads.transpose(1, 2).flatten(2) @ self.w_o
        if not self.has_mlp:
            return x
        z = norm(x, self.mlp_norm_gain, self.mlp_norm_bias)
        return x + gelu(z @ self.w_in + self.b_in, approximate="tanh") @ self.w_out + self.b_out


class Decoder(nn.Module):
    """The unembedding is a matrix, or w_u embeddingᵀ."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        d, self.tied = recipe.d_model, recipe.tied
        self.embedding = weights(recipe.vocabulary, d, scale=d)
        self.layers = nn.ModuleList(Block(recipe) for _ in range(recipe.num_layers))
        self.final_norm_gain, self.final_norm_bias = ones(d), zeros(d)
        if recipe.tied:
            self.w_u = weights(d, d)
        else:
            self.unembedding = weights(d, recipe.vocabulary)
        self.turns = torch.tensor(
            PAPER.angles(np.arange(recipe.context), recipe.d_k), dtype=torch.float32
        )

    def forward(self, ids: Tensor, asked: Tensor) -> Tensor:
        """[B, n] → [row, d], normed, where `asked` [B, n]."""
        x = self.embedding[ids]
        for block in self.layers:
            x = block(x, self.turns[: ids.shape[1]])
        return norm(x[asked], self.final_norm_gain, self.final_norm_bias)

    def logits(self, y: Tensor) -> Tensor:
        """[row, d] → [row, V]."""
        return y @ self.w_u @ self.embedding.T if self.tied else y @ self.unembedding


def turned(a: Tensor, turns: Tensor) -> Tensor:
    """[B, h, n, d_k]: as `attnscope.attention.positions.rotate`."""
    even, odd, cos, sin = a[..., 0::2], a[..., 1::2], turns.cos(), turns.sin()
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return layer_norm(x, x.shape[-1:], gain, bias, EPSILON)


def weights(rows: int, columns: int, scale: int | None = None) -> nn.Parameter:
    """With GPT-2's 0.02 instead of 1/√rows, induction does not appear within these steps."""
    return nn.Parameter(torch.randn(rows, columns) * (scale or rows) ** -0.5)


def ones(d: int) -> nn.Parameter:
    return nn.Parameter(torch.ones(d))


def zeros(d: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(d))
