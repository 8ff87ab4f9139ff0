"""Hand-made heads with known behaviour.

Columns 0–31 of x are the token (a seeded unit vector), 32–63 the position (sinusoidal).

    previous_token   q_i = position i − 1,        k_j = position j
    first_token      q_i = position 0 (a bias),   k_j = position j
    same_token       q_i = token i,               k_j = token j
    uniform          q_i = 0

induction has a residual stream (Olsson et al. 2022) and columns 64–95:

    layer 0   previous_token; w_o copies the token before each position into these columns
    layer 1   q_i = token i, k_j = token before j; w_o doubles token j

In A B … A, the second A attends to B.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from attnscope.attention.architecture import Block, Parameters, Shape
from attnscope.attention.positions import sinusoidal
from attnscope.weights import schemes

Crafted = Literal["previous_token", "first_token", "same_token", "uniform", "induction", "all"]
NAMES: tuple[Crafted, ...] = get_args(Crafted)
HEADS = ("previous_token", "first_token", "same_token", "uniform")

TOKEN, POSITION, BEFORE = slice(0, 32), slice(32, 64), slice(64, 96)
HALF, D_MODEL, INDUCTION_D_MODEL = 32, 64, 96
# The nearest wrong position scores 13.7 lower, so its weight is e^-13.7 of the right one.
SHARPNESS = 20.0
# Higher than SHARPNESS, as cosines of random tokens reach 0.7.
MATCHING = 60.0


def embed_tokens(tokens: Sequence[str], d_model: int = D_MODEL) -> np.ndarray:
    """[n, d_model]: unit vectors (seed 0) in columns TOKEN."""
    x = np.zeros((len(tokens), d_model))
    vectors = schemes.seeded_embeddings(tokens, 0, HALF)
    x[:, TOKEN] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return x


def positions(n: int, d_model: int = D_MODEL) -> np.ndarray:
    x = np.zeros((n, d_model))
    x[:, POSITION] = sinusoidal(n, HALF)
    return x


def shape_of(name: Crafted) -> Shape:
    heads = len(HEADS) if name == "all" else 1
    d_model = INDUCTION_D_MODEL if name == "induction" else D_MODEL
    return Shape(heads, heads, d_model, HALF, HALF)


def block_of(name: Crafted) -> Block:
    return "residual" if name == "induction" else "attention"


def layers_of(name: Crafted) -> tuple[Parameters, ...]:
    return _induction() if name == "induction" else (_one_layer(name),)


def _one_layer(name: Crafted) -> Parameters:
    each = [_head(kind, D_MODEL) for kind in (HEADS if name == "all" else (name,))]
    w_q, w_k, w_v, b_q = (np.concatenate(parts, axis=-1) for parts in zip(*each, strict=True))
    w_o = np.concatenate([_reading(TOKEN, D_MODEL).T] * len(each))
    return Parameters(w_q, w_k, w_v, w_o, b_q=b_q)


def _induction() -> tuple[Parameters, Parameters]:
    """Keys of layer 1 subtract half of token j: in layer 0, position 0 copies its own token, and
    would otherwise match like position 1."""
    token, before = (_reading(part, INDUCTION_D_MODEL) for part in (TOKEN, BEFORE))
    w_q, w_k, w_v, b_q = _head("previous_token", INDUCTION_D_MODEL)
    first = Parameters(w_q, w_k, w_v, before.T, b_q=b_q)
    gain = MATCHING * np.sqrt(HALF)
    second = Parameters(gain * token, before - token / 2, token, 2 * token.T, b_q=np.zeros(HALF))
    return first, second


def _head(kind: str, d_model: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    gain = SHARPNESS * np.sqrt(HALF)  # √HALF cancels 1/√d_k
    token, position = _reading(TOKEN, d_model), _reading(POSITION, d_model)
    nothing, no_bias = np.zeros_like(token), np.zeros(HALF)
    w_q, w_k, b_q = {
        "previous_token": (gain * position @ _one_step_back(), position, no_bias),
        "first_token": (nothing, position, gain * sinusoidal(1, HALF)[0]),
        "same_token": (gain * token, token, no_bias),
        "uniform": (nothing, token, no_bias),
    }[kind]
    return w_q, w_k, token, b_q


def _reading(part: slice, d_model: int) -> np.ndarray:
    return np.eye(d_model)[:, part]


def _one_step_back() -> np.ndarray:
    """Map position i to i − 1, for row vectors, by rotating each (sin, cos) pair (Vaswani et al.
    2017, section 3.5)."""
    turn = np.zeros((HALF, HALF))
    for pair in range(HALF // 2):
        angle = 1 / 10000.0 ** (2 * pair / HALF)
        sin, cos = np.sin(angle), np.cos(angle)
        even, odd = 2 * pair, 2 * pair + 1
        turn[[even, odd], [even, odd]] = cos
        turn[odd, even], turn[even, odd] = -sin, sin
    return turn
