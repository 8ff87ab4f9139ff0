from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from struct import unpack

import numpy as np

from attnscope.weights.streams import stream_of

EMBEDDING = 0x656D6265
PLACE = 0x706C6163


def seeded_embedding(token: str, seed: int, d_model: int) -> np.ndarray:
    """Standard normal [d_model]; see docs/mathematics.md."""
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
