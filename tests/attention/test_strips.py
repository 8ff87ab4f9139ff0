"""A map is computed strip by strip, each on the keys it sees, and is one map all the same."""

from __future__ import annotations

import numpy as np
import pytest

from app.attention import strips
from app.attention.masks import Mask
from app.attention.strips import Strip, over_strips
from tests.attention.test_attend import maps_of, near, parts

ROWS = strips.BLOCK_ROWS


@pytest.mark.parametrize("n", [ROWS - 1, ROWS, ROWS + 1, 300])
def test_strips_are_one_map(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mask = Mask(causal=True, window=40, prefix=3, blocked=frozenset([(128, 127), (127, 5)]))
    in_strips = maps_of(*parts(n), mask)
    monkeypatch.setattr(strips, "BLOCK_ROWS", n)
    at_once = maps_of(*parts(n), mask)
    for name, array in at_once.items():
        near(in_strips[name], array, name)


def seen_by(mask: Mask, n: int, m: int, lengths: tuple[int, int], first: int = 0) -> list[Strip]:
    found: list[Strip] = []
    over_strips(found.append, (1, 1, n, m), 1, [lengths], mask, first)
    return found


def test_every_row_of_every_head_is_in_one_strip() -> None:
    found: list[Strip] = []
    over_strips(found.append, (2, 4, 300, 3), 2, [(300, 3)] * 2, Mask(), 0)
    assert sorted((*strip.here[:2], strip.here[2].start) for strip in found) == [
        (b, h, start) for b in range(2) for h in range(4) for start in (0, ROWS)
    ]
    assert {(strip.head, strip.kv_head[1]) for strip in found} == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert [len(strip.queries) for strip in found if strip.here[2].start] == [300 - ROWS] * 8


@pytest.mark.parametrize(
    ("mask", "lengths", "first", "keys", "partly"),
    [
        (Mask(), (4, 6), 0, slice(0, 6), slice(0, 1)),
        (Mask(), (4, 3), 0, slice(0, 3), slice(0, 1)),
        (Mask(causal=True), (4, 6), 0, slice(0, 4), slice(1, 4)),
        (Mask(causal=True, window=2), (6, 6), 2, slice(1, 6), slice(1, 6)),
        (Mask(), (0, 0), 0, slice(0, 1), slice(0, 1)),
    ],
)
def test_a_strip_sees_the_keys_between_the_first_and_the_last_that_is_open(
    mask: Mask, lengths: tuple[int, int], first: int, keys: slice, partly: slice
) -> None:
    (strip,) = seen_by(mask, 4, 6, lengths, first)
    assert strip.seen.keys == keys
    assert strip.seen.partly == partly
    allowed = mask.may_attend(strip.queries, np.arange(6), lengths)
    np.testing.assert_array_equal(strip.seen.closed, ~allowed[:, partly])
    outside = np.delete(allowed, np.r_[keys], axis=1)
    assert not outside.any()
