from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from attnscope.attention.ops import Norm, layer_norm
from attnscope.attention.products import Dense
from attnscope.errors import InvalidRequest
from attnscope.trace.inputs import Words
from attnscope.trace.open_model import OpenModel


@dataclass(frozen=True)
class Embedded:
    """Arrays are [B, rows, width], 0 in padding. A given x is stored as the `embedding`."""

    embedding: np.ndarray
    position: np.ndarray | None
    lengths: list[int] = field(default_factory=list)
    norm: Norm | None = None
    scale: float = 1.0
    token_type: np.ndarray | None = None
    projection: Dense | None = None

    @property
    def parts(self) -> dict[str, np.ndarray]:
        named = {"position": self.position, "token_type": self.token_type}
        there = {name: array for name, array in named.items() if array is not None}
        return {"embedding": self.embedding, **there}

    @property
    def sum(self) -> np.ndarray:
        first, *others = self.parts.values()
        whole = first if self.scale == 1 else first * self.scale
        for one in others:
            whole = whole + one
        return whole

    @property
    def normed(self) -> np.ndarray:
        if self.norm is None:
            return self.sum
        gain, bias, epsilon = self.norm
        rows = np.zeros_like(self.embedding)
        for b, length in enumerate(self.lengths):
            rows[b, :length] = layer_norm(self.sum[b, :length], gain, bias, epsilon=epsilon)
        return rows

    def x(self, dtype: DTypeLike) -> np.ndarray:
        with np.errstate(over="ignore"):
            if self.projection is None:
                return self.normed.astype(dtype)
            normed, (matrix, bias) = self.normed, self.projection
            rows = np.zeros((*normed.shape[:2], len(bias)))
            for b, length in enumerate(self.lengths):
                rows[b, :length] = normed[b, :length] @ matrix + bias
            return rows.astype(dtype)

    def astype(self, dtype: DTypeLike) -> Embedded:
        parts: dict[str, Any] = {name: one.astype(dtype) for name, one in self.parts.items()}
        return replace(self, **parts)

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self.parts.values())


def embed(
    words: Words, given: np.ndarray | None, model: OpenModel, positions: np.ndarray | None = None
) -> Embedded:
    """`positions` are [B, n], by default 0, 1, …"""
    batch, n = len(words.lengths), words.n
    if given is not None:
        embedding = np.zeros((batch, n, model.shape.d_model))
        embedding[:, : words.lengths[0]] = given
        return Embedded(embedding, None)
    embedding = np.zeros((batch, n, model.embedding_width))
    rows = model.position(n if positions is None else int(positions.max()) + 1)
    position = None if rows is None else np.zeros_like(embedding)
    token_type = None if model.token_type is None else np.zeros_like(embedding)
    for b, length in enumerate(words.lengths):
        try:
            embedding[b, :length] = model.embed(_asked(words, b))
        except InvalidRequest as error:
            error.at = words.at
            raise
        if position is not None and rows is not None:
            position[b, :length] = (
                rows[:length] if positions is None else rows[positions[b, :length]]
            )
        if token_type is not None and model.token_type is not None:
            token_type[b, :length] = model.token_type[_kinds(words, b, len(model.token_type))]
    return Embedded(
        embedding, position, words.lengths, model.embedding_norm, model.embedding_scale,
        token_type, model.projection,
    )  # fmt: skip


def _asked(words: Words, batch: int) -> list[str] | np.ndarray:
    if words.ids is not None:
        return words.ids[batch]
    return [token for token in (words.tokens or [])[batch] if token is not None]


def _kinds(words: Words, batch: int, rows: int) -> list[int]:
    length = words.lengths[batch]
    if rows == 1 or not words.kinds:
        return [0] * length
    kinds = words.kinds[batch]
    if max(kinds) >= rows:
        raise InvalidRequest("no_such_kind", at=words.at, kind=max(kinds), rows=rows)
    return kinds
