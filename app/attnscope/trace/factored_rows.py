from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float, Integer

from attnscope import cancellation
from attnscope.attention.flash_pass import RowSums
from attnscope.attention.one_head import OneHead
from attnscope.attention.online_softmax import weigh
from attnscope.attention.overview import Rows
from attnscope.trace.weight_rows import NONE

AT_ONCE = 1 << 20
PAIRS = 1 << 27  # pairs of equal tokens
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
