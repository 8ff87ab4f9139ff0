"""Products of options: some rows in `make test`, all in `make test-full`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def some_rows(*options: Sequence[Any], turns: int = 2) -> list[tuple[Any, ...]]:
    """Each value occurs at least `turns` times, beside different values."""
    longest = max(map(len, options))
    return [
        tuple(values[(i + turn * at) % len(values)] for at, values in enumerate(options))
        for turn in range(turns)
        for i in range(longest)
    ]


def some_and_all(*options: Sequence[Any], turns: int = 2) -> list[Any]:
    """For `pytest.mark.parametrize`."""
    return [
        pytest.param(some_rows(*options, turns=turns), id="some"),
        pytest.param(list(product(*options)), marks=pytest.mark.full, id="all"),
    ]
