"""Options that go together: some rows of their product in `make test`, all in `make test-full`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def some_rows(*options: Sequence[Any], turns: int = 2) -> list[tuple[Any, ...]]:
    """Rows in which each value stands at least `turns` times, beside other values each time."""
    longest = max(map(len, options))
    return [
        tuple(values[(i + turn * at) % len(values)] for at, values in enumerate(options))
        for turn in range(turns)
        for i in range(longest)
    ]


def some_and_all(*options: Sequence[Any], turns: int = 2) -> list[Any]:
    """Two lists of rows, as `pytest.mark.parametrize` takes them."""
    return [
        pytest.param(some_rows(*options, turns=turns), id="some"),
        pytest.param(list(product(*options)), marks=pytest.mark.full, id="all"),
    ]
