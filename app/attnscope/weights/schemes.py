"""Seeded initialisations; see docs/mathematics.md.

Each tensor has its own random stream, so that a new tensor changes no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from struct import unpack
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float
from numpy.random import PCG64, Generator, SeedSequence

from attnscope.attention.architecture import ALL_TENSORS, Block, Parameters, Shape

WORD = 32


def stream_of(*numbers: int) -> Generator:
    try:
        words = np.array(numbers, np.uint32)
    except OverflowError:  # above 32 bits
        words = np.array([word for number in numbers for word in _words(number)], np.uint32)
    return Generator(PCG64(SeedSequence(words)))


def _words(number: int) -> list[int]:
    length = max(1, math.ceil(number.bit_length() / WORD))
    return [number >> WORD * i & (1 << WORD) - 1 for i in range(length)]


EMBEDDING = 0x656D6265
PLACE = 0x706C6163


def seeded_embedding(token: str, seed: int, d_model: int) -> np.ndarray:
    """Standard normal [d_model]."""
    words = unpack(">8I", sha256(token.encode()).digest())
    vector = stream_of(seed, EMBEDDING, *words).standard_normal(d_model)
    vector.flags.writeable = False
    return vector


def learned_positions(n: int, seed: int, d_model: int) -> np.ndarray:
    """Untrained positions (Gehring et al. 2017): standard normal [n, d_model]."""
    return stream_of(seed, PLACE).standard_normal((n, d_model))


# At most 16 MB.
_cached_embedding = lru_cache(maxsize=4096)(seeded_embedding)
REMEMBERED_WIDTH = 512


def seeded_embeddings(tokens: Sequence[str], seed: int, d_model: int) -> np.ndarray:
    draw = _cached_embedding if d_model <= REMEMBERED_WIDTH else seeded_embedding
    vectors = {token: draw(token, seed, d_model) for token in set(tokens)}
    return np.array([vectors[token] for token in tokens]).reshape(len(tokens), d_model)


Init = Literal[
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "normal",
    "orthogonal",
    "identity",
]
Share = Literal["none", "qk", "qkv"]
INITS: tuple[Init, ...] = get_args(Init)
Draw = Callable[[Generator, int, int], np.ndarray]
MLP_RATIO = 4  # Vaswani et al. 2017, section 3.3


def _uniform(variance: Callable[[int, int], float]) -> Draw:
    def draw(rng: Generator, rows: int, columns: int) -> np.ndarray:
        bound = math.sqrt(3 * variance(rows, columns))
        return rng.uniform(-bound, bound, (rows, columns))

    return draw


def _normal(variance: Callable[[int, int], float]) -> Draw:
    def draw(rng: Generator, rows: int, columns: int) -> np.ndarray:
        return rng.normal(0.0, math.sqrt(variance(rows, columns)), (rows, columns))

    return draw


def _orthogonal(rng: Generator, rows: int, columns: int) -> np.ndarray:
    """Orthonormal columns, or rows if there are fewer (Saxe, McClelland & Ganguli 2013)."""
    tall = rng.standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(tall)
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)  # QR is unique if the diagonal of R is positive
    return q if rows >= columns else np.ascontiguousarray(q.T)


def _xavier(rows: int, columns: int) -> float:
    """Variance (Glorot & Bengio 2010)."""
    return 2 / (rows + columns)


def _kaiming(rows: int, columns: int) -> float:
    """Variance (He et al. 2015)."""
    return 2 / rows


def _small(rows: int, columns: int) -> float:
    """Variance of GPT-2 (Radford et al. 2019)."""
    return 0.02**2


SCHEMES: dict[Init, Draw] = {
    "xavier_uniform": _uniform(_xavier),
    "xavier_normal": _normal(_xavier),
    "kaiming_uniform": _uniform(_kaiming),
    "kaiming_normal": _normal(_kaiming),
    "normal": _normal(_small),
    "orthogonal": _orthogonal,
    "identity": lambda rng, rows, columns: np.eye(rows, columns),
}


def stream(seed: int, layer: int, tensor: str) -> Generator:
    return stream_of(seed, layer, ALL_TENSORS.index(tensor))


def matrix(
    init: Init, seed: int, layer: int, tensor: str, rows: int, columns: int
) -> Float[np.ndarray, "rows columns"]:
    """Read-only, since cached if small."""
    draw = _cached_matrix if rows * columns <= REMEMBERED_SIZE else _draw_matrix
    return draw(init, seed, layer, tensor, rows, columns)


def _draw_matrix(
    init: Init, seed: int, layer: int, tensor: str, rows: int, columns: int
) -> Float[np.ndarray, "rows columns"]:
    drawn = SCHEMES[init](stream(seed, layer, tensor), rows, columns)
    drawn.flags.writeable = False
    return drawn


# At most 8 MB.
_cached_matrix = lru_cache(maxsize=64)(_draw_matrix)
REMEMBERED_SIZE = 1 << 14


def source_of(letter: str, share: Share) -> str:
    """Letter of the projection whose tensors `letter` uses: q if shared."""
    return "q" if share != "none" and letter in share else letter


def seeded_layer(
    shape: Shape,
    seed: int,
    layer: int,
    *,
    init: Init = "xavier_uniform",
    bias: bool = False,
    share: Share = "none",
    output_projection: bool = True,
    block: Block = "attention",
    mlp: bool = False,
) -> Parameters:
    letters = "qkvo" if output_projection else "qkv"
    tensors: dict[str, np.ndarray] = {}
    for letter in letters:
        source = source_of(letter, share)
        w, b = f"w_{source}", f"b_{source}"
        rows, columns = shape.of(w)
        if w not in tensors:
            tensors[w] = matrix(init, seed, layer, w, rows, columns)
        tensors[f"w_{letter}"] = tensors[w]
        if bias and b not in tensors:
            bound = 1 / math.sqrt(rows)
            tensors[b] = stream(seed, layer, b).uniform(-bound, bound, columns)
        if bias:
            tensors[f"b_{letter}"] = tensors[b]
    norms = [] if block in ("attention", "residual") else ["norm", "mlp_norm"][: 1 + mlp]
    for norm in norms:
        tensors[f"{norm}_gain"] = np.ones(shape.d_model)
        tensors[f"{norm}_bias"] = np.zeros(shape.d_model)
    if mlp:
        tensors |= _mlp(shape.d_model, seed, layer, init, bias)
    return Parameters(**tensors)


def _mlp(d_model: int, seed: int, layer: int, init: Init, bias: bool) -> dict[str, np.ndarray]:
    hidden = MLP_RATIO * d_model
    tensors = {
        "w_in": matrix(init, seed, layer, "w_in", d_model, hidden),
        "w_out": matrix(init, seed, layer, "w_out", hidden, d_model),
    }
    for name, rows, columns in (("b_in", d_model, hidden), ("b_out", hidden, d_model)):
        if bias:
            bound = 1 / math.sqrt(rows)
            tensors[name] = stream(seed, layer, name).uniform(-bound, bound, columns)
    return tensors
