"""A map is computed strip by strip, each on the keys it sees, and is one map all the same."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.attention.attend import attend_heads
from attnscope.attention.layer_context import Options
from attnscope.attention.masks import Mask
from attnscope.attention.ops import BLOCK_ROWS
from attnscope.attention.strips import TOGETHER, Strip, over_strips
from tests.attention.test_attend import maps_of, near, parts, setting_of

ROWS = BLOCK_ROWS


@pytest.mark.parametrize("n", [ROWS - 1, ROWS, ROWS + 1, 300])
def test_strips_are_one_map(n: int) -> None:
    mask = Mask(causal=True, window=40, prefix=3, blocked=frozenset([(128, 127), (127, 5)]))
    q, k, v = parts(n)
    in_strips = maps_of(q, k, v, mask)
    setting = setting_of(q, k, v, [(n, n)], Options(0.5, 1.0, mask))
    for start in range(0, n, 100):  # each of these parts is one strip
        rows = slice(start, start + 100)
        part, head_outputs = attend_heads(q[:, :, rows], k, v, setting, start)
        for name, array in {**part, "head_outputs": head_outputs}.items():
            near(in_strips[name][:, :, rows], array, name)


def seen_by(mask: Mask, n: int, m: int, lengths: tuple[int, int], first: int = 0) -> list[Strip]:
    found: list[Strip] = []
    over_strips(found.append, (1, 1, n, m), 1, [lengths], mask, first)
    return found


def test_every_row_of_every_head_is_in_one_strip() -> None:
    found: list[Strip] = []
    over_strips(found.append, (2, 4, 300, 3), 2, [(300, 3)] * 2, Mask(), 0)
    assert sorted(
        (strip.here[0], h, strip.here[2].start) for strip in found for h in heads_of(strip)
    ) == [(b, h, start) for b in range(2) for h in range(4) for start in (0, ROWS)]
    kv_heads = {(h, strip.kv_heads[1].start) for strip in found for h in heads_of(strip)}
    assert kv_heads == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert {len(strip.seen.closed) for strip in found if strip.here[2].start} == {300 - ROWS}


def heads_of(strip: Strip) -> range:
    assert strip.here[1] == strip.heads
    return range(strip.heads.start, strip.heads.stop)


@pytest.mark.parametrize(
    ("heads", "kv_heads", "most", "sizes"),
    [
        (5, 5, 3, [3, 2]), (5, 5, 9, [5]), (5, 5, 0, [1] * 5),
        (6, 3, 6, [2] * 3), (6, 1, 4, [3, 3]), (6, 2, 2, [1] * 6),
    ],
)  # fmt: skip
def test_small_heads_are_in_one_strip_with_those_that_share_their_keys(
    heads: int, kv_heads: int, most: int, sizes: list[int]
) -> None:
    keys = TOGETHER // (4 * most) if most else TOGETHER
    found: list[Strip] = []
    over_strips(found.append, (1, heads, 4, keys), kv_heads, [(4, keys)], Mask(), 0)
    assert [len(heads_of(strip)) for strip in found] == sizes
    group = heads // kv_heads
    for strip in found:
        shared = range(strip.kv_heads[1].start, strip.kv_heads[1].stop)
        assert {h // group for h in heads_of(strip)} == set(shared)


@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (4, 1)])
def test_heads_together_give_the_bits_of_each(heads: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(2, h, 9, 5)) for h in (heads[0], heads[1], heads[1]))
    options = Options(0.5, 1.0, Mask(causal=True, blocked=frozenset([(3, 1)])))

    def maps_of_heads(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        setting = setting_of(q, k, v, [(9, 9), (7, 7)], options)
        maps, head_outputs = attend_heads(q, k, v, setting)
        return {**maps, "head_outputs": head_outputs}

    together = maps_of_heads(q, k, v)
    for h in range(heads[0]):
        kv = slice(h * heads[1] // heads[0], h * heads[1] // heads[0] + 1)
        for name, array in maps_of_heads(q[:, h : h + 1], k[:, kv], v[:, kv]).items():
            assert array.tobytes() == together[name][:, h : h + 1].tobytes(), name


def test_a_strip_sees_the_keys_between_the_first_and_the_last_that_is_open(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        (Mask(), (4, 6), 0, slice(0, 6), slice(0, 1)),
        (Mask(), (4, 3), 0, slice(0, 3), slice(0, 1)),
        (Mask(causal=True), (4, 6), 0, slice(0, 4), slice(1, 4)),
        (Mask(causal=True, window=2), (6, 6), 2, slice(1, 6), slice(1, 6)),
        (Mask(), (0, 0), 0, slice(0, 1), slice(0, 1)),
    ]
    for mask, lengths, first, keys, partly in cases:
        with subtests.test(mask=mask):
            (strip,) = seen_by(mask, 4, 6, lengths, first)
            assert strip.seen.keys == keys
            assert strip.seen.partly == partly
            allowed = mask.may_attend(first + np.arange(4), np.arange(6), lengths)
            np.testing.assert_array_equal(strip.seen.closed, ~allowed[:, partly])
            outside = np.delete(allowed, np.r_[keys], axis=1)
            assert not outside.any()
