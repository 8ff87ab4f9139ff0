from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnscope import cancellation
from attnscope.attention.flash_pass import RowSums
from attnscope.attention.one_head import OneHead
from attnscope.attention.online_softmax import weigh
from attnscope.attention.overview import Rows

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


AT_ONCE = 1 << 20  # cells
PAIRS = 1 << 27  # most pairs of equal tokens
STRIP = 512  # queries at once

Queries = Integer[np.ndarray, " some"]
OneHeadPerQuery = Float[np.ndarray, " query"]


class FactoredRows:
    """Rows of one head, without its map. Above `most_pairs`, `after_copies` finds no copies."""

    def __init__(
        self, one: OneHead, rows: Rows, tokens: Sequence[object] | None, *, most_pairs: int = PAIRS
    ) -> None:
        self._one, self._rows = one, rows
        self._places = [] if tokens is None else _places_of(tokens)
        if sum(len(some) ** 2 for some in self._places) > most_pairs:
            self._places = []
        self.attending: Bool[np.ndarray, " query"] = rows.sums.total != 0
        self.entropy, self.distance = rows.entropy, rows.distance

    def on_key(self, key: int) -> OneHeadPerQuery:
        if key == 0:
            return self._rows.first
        return self._in_strips(lambda queries: np.full(len(queries), key))

    def back(self, steps: int) -> OneHeadPerQuery:
        queries = np.arange(len(self.attending))
        if steps not in (0, 1):
            return self._in_strips(lambda queries: queries - steps)
        known = self._rows.previous if steps else self._rows.own
        return np.where(queries >= steps, known, NONE)

    def after_copies(self, steps: int) -> OneHeadPerQuery:
        weights = np.full(len(self.attending), NONE)
        for where in self._places:
            cols = where + steps
            cols = cols[cols < self._one.shape[1]]
            for at in _parts(where, max(1, AT_ONCE // len(where))):
                weights[at] = self._weights_on(at, cols, cols < at[:, None])
        return weights

    def _in_strips(self, key_of: Callable[[Queries], Queries]) -> OneHeadPerQuery:
        weights = np.full(len(self.attending), NONE)
        for at in _parts(np.arange(len(weights)), STRIP):
            keys = key_of(at)
            cols = np.unique(keys[(keys >= 0) & (keys < self._one.shape[1])])
            weights[at] = self._weights_on(at, cols, cols == keys[:, None])
        return weights

    def _weights_on(
        self, rows: Queries, cols: Queries, cells: Bool[np.ndarray, "some cols"]
    ) -> Float[np.ndarray, " some"]:
        cancellation.check()
        sums = self._rows.sums
        own = RowSums(sums.peak[rows], sums.total[rows])
        with np.errstate(over="ignore", invalid="ignore"):
            weights = np.where(cells, weigh(self._one.masked_at(rows, cols), own), 0).sum(axis=1)
        return np.where(cells.any(axis=1), np.minimum(weights, 1), NONE)


def _parts(places: Queries, size: int) -> Iterator[Queries]:
    for start in range(0, len(places), size):
        yield places[start : start + size]


def _places_of(tokens: Sequence[object]) -> list[Queries]:
    places: dict[object, list[int]] = {}
    for at, token in enumerate(tokens):
        if token is not None:
            places.setdefault(token, []).append(at)
    return [np.array(some) for some in places.values() if len(some) > 1]
