from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float

NONE = -1.0  # weight if the query has no such key

PerQuery = Float[np.ndarray, "*head query"]


class WeightRows(Protocol):
    """Statistics of rows of weights. `attending`: queries that are not fully masked."""

    @property
    def attending(self) -> Bool[np.ndarray, "*head query"]: ...
    @property
    def entropy(self) -> PerQuery:
        """In nats."""

    @property
    def distance(self) -> PerQuery:
        """Σⱼ w |i − j|."""

    def on_key(self, key: int) -> PerQuery: ...
    def back(self, steps: int) -> PerQuery:
        """Weight of query i on key i − steps."""

    def after_copies(self, steps: int) -> PerQuery:
        """Weight on the keys `steps` places after earlier copies of the query's token."""


class DenseRows:
    def __init__(
        self, weights: Float[np.ndarray, "head query key"], tokens: Sequence[object] | None
    ) -> None:
        self._weights, self._tokens = weights, tokens
        self._copies: Bool[np.ndarray, "query key"] | None = None
        self.attending: Bool[np.ndarray, "head query"] = (weights != 0).any(-1)

    @property
    def entropy(self) -> Float[np.ndarray, "head query"]:
        safe = np.where(self._weights > 0, self._weights, 1)
        entropy: np.ndarray = -(self._weights * np.log(safe)).sum(-1)
        return entropy

    @property
    def distance(self) -> Float[np.ndarray, "head query"]:
        _, n, m = self._weights.shape
        steps = np.abs(np.arange(n)[:, None] - np.arange(m))
        distance: np.ndarray = (self._weights * steps).sum(-1)
        return distance

    def on_key(self, key: int) -> Float[np.ndarray, "head query"]:
        _, n, m = self._weights.shape
        return self._weights_on(np.broadcast_to(np.arange(m) == key, (n, m)))

    def back(self, steps: int) -> Float[np.ndarray, "head query"]:
        _, n, m = self._weights.shape
        return self._weights_on(np.arange(m) == np.arange(n)[:, None] - steps)

    def after_copies(self, steps: int) -> Float[np.ndarray, "head query"]:
        if self._tokens is None:
            return np.full(self.attending.shape, NONE)
        if self._copies is None:
            self._copies = earlier_copies(self._tokens)
        cells = np.zeros_like(self._copies)
        cells[:, steps:] = self._copies[:, : len(cells) - steps]
        return self._weights_on(np.tril(cells, -1))

    def _weights_on(self, cells: Bool[np.ndarray, "query key"]) -> Float[np.ndarray, "head query"]:
        return np.where(cells.any(-1), np.where(cells, self._weights, 0).sum(-1), NONE)


def earlier_copies(tokens: Sequence[object]) -> Bool[np.ndarray, "query key"]:
    """Cells whose key j < i has query i's token."""
    names: dict[object, int] = {}
    ids = np.array([-1 if one is None else names.setdefault(one, len(names)) for one in tokens])
    same_token = (ids[:, None] == ids) & (ids[:, None] >= 0)
    earlier: np.ndarray = np.tril(same_token, -1)
    return earlier
