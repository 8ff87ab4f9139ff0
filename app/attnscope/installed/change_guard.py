"""Guards against replies that mix two versions of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from attnscope.attention.parameters import Parameters


class GuardedLayers(Sequence[Parameters]):
    """`check` raises if files changed."""

    def __init__(self, layers: Sequence[Parameters], check: Callable[[], None]) -> None:
        self._layers, self._check = layers, check

    def __len__(self) -> int:
        return len(self._layers)

    @overload
    def __getitem__(self, at: int) -> Parameters: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Parameters]: ...
    def __getitem__(self, at: int | slice) -> Parameters | Sequence[Parameters]:
        if isinstance(at, slice):
            return GuardedLayers(self._layers[at], self._check)
        self._check()
        return self._layers[at]
