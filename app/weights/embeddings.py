"""Tokens to vectors: drawn from a seed, or looked up in an uploaded table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

EMBEDDING = 0x656D6265  # keeps the tokens' streams apart from the tensors' (schemes.stream)


@lru_cache(maxsize=8192)
def seeded_embedding(token: str, seed: int, d_model: int) -> np.ndarray:
    """d_model standard normal numbers that depend on the token's text and the seed alone.

    Generator(PCG64(SeedSequence([seed, EMBEDDING, *the eight big-endian 32-bit words of
    SHA-256(UTF-8 text)]))): the same word is the same vector in every sentence.
    """
    words = np.frombuffer(sha256(token.encode()).digest(), ">u4").tolist()
    vector = Generator(PCG64(SeedSequence([seed, EMBEDDING, *words]))).standard_normal(d_model)
    vector.flags.writeable = False
    return vector


def seeded(tokens: Sequence[str], seed: int, d_model: int) -> np.ndarray:
    """[n, d_model]."""
    return np.array([seeded_embedding(token, seed, d_model) for token in tokens])
