"""Hand-made heads that behave, each in the ordinary formulas: q = x w_q + b_q and so on.

x holds the token in its first 32 columns (a seeded embedding, scaled to length 1) and the
position in the last 32 (sinusoidal, 16 frequencies). Each head reads one half and copies the
tokens of what it attends to; w_o puts the copies of several heads on top of each other.

    previous_token   q_i = position i turned back by one, k_j = position j
    first_token      q_i = position 0 (a bias),           k_j = position j
    same_token       q_i = token i,                       k_j = token j
    uniform          q_i = 0: every open key gets the same weight

Turning a position by one step is a rotation of each (sin, cos) pair, so it is linear:
Vaswani et al. 2017, section 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from app.attention.parameters import Parameters, Shape
from app.attention.positions import sinusoidal
from app.weights import embeddings

Crafted = Literal["previous_token", "first_token", "same_token", "uniform", "all"]
NAMES: tuple[Crafted, ...] = get_args(Crafted)
HEADS = ("previous_token", "first_token", "same_token", "uniform")

TOKEN, POSITION = slice(0, 32), slice(32, 64)
HALF, D_MODEL = 32, 64
# Scaled scores of the right key stand this far above the others, per unit of q·k: the nearest
# wrong position is 0.68 below the right one (tests/weights/test_crafted.py), so e^-13.7 remains.
SHARPNESS = 20.0


def embed_tokens(tokens: Sequence[str]) -> np.ndarray:
    """[n, 64]: unit token vectors (seed 0) in the first half, zeros in the second."""
    x = np.zeros((len(tokens), D_MODEL))
    vectors = embeddings.seeded(tokens, 0, HALF)
    x[:, TOKEN] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return x


def positions(n: int) -> np.ndarray:
    """[n, 64]: positions in the second half, zeros in the first."""
    x = np.zeros((n, D_MODEL))
    x[:, POSITION] = sinusoidal(n, HALF)
    return x


def shape_of(name: Crafted) -> Shape:
    heads = len(HEADS) if name == "all" else 1
    return Shape(heads, heads, D_MODEL, HALF, HALF)


def parameters_of(name: Crafted) -> Parameters:
    """One layer: one head, or one head of each kind side by side."""
    each = [_head(kind) for kind in (HEADS if name == "all" else (name,))]
    w_q, w_k, w_v, b_q = (np.concatenate(parts, axis=-1) for parts in zip(*each, strict=True))
    w_o = np.concatenate([_reading(TOKEN).T] * len(each))
    return Parameters(w_q, w_k, w_v, w_o, b_q=b_q)


def _head(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """w_q, w_k, w_v [64, 32] and b_q [32] of one head."""
    gain = SHARPNESS * np.sqrt(HALF)  # undoes the scale 1/√d_k
    token, position = _reading(TOKEN), _reading(POSITION)
    nothing, no_bias = np.zeros_like(token), np.zeros(HALF)
    w_q, w_k, b_q = {
        "previous_token": (gain * position @ _one_step_back(), position, no_bias),
        "first_token": (nothing, position, gain * sinusoidal(1, HALF)[0]),
        "same_token": (gain * token, token, no_bias),
        "uniform": (nothing, token, no_bias),
    }[kind]
    return w_q, w_k, token, b_q


def _reading(half: slice) -> np.ndarray:
    """[64, 32]: x times this is one half of x."""
    return np.eye(D_MODEL)[:, half]


def _one_step_back() -> np.ndarray:
    """[32, 32]: (row vector) position i → position i − 1."""
    turn = np.zeros((HALF, HALF))
    for pair in range(HALF // 2):
        angle = 1 / 10000.0 ** (2 * pair / HALF)
        sin, cos = np.sin(angle), np.cos(angle)
        even, odd = 2 * pair, 2 * pair + 1
        turn[[even, odd], [even, odd]] = cos
        turn[odd, even], turn[even, odd] = -sin, sin
    return turn
