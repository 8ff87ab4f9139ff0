"""Every mask by its definition, and masks composed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnscope.attention.masks import (
    Mask,
    causal,
    outside_cells,
    padding,
    prefix,
)
from attnscope.attention.patterns import (
    global_places,
    global_tokens,
    same_block,
    strided,
    window,
)
from tests.attention import plain

CELLS = st.tuples(st.integers(0, 9), st.integers(0, 9))
MASKS = st.builds(
    Mask,
    causal=st.booleans(),
    window=st.none() | st.integers(1, 9),
    prefix=st.integers(0, 9),
    blocked=st.frozensets(CELLS, max_size=12),
    global_tokens=st.just(0) | st.integers(0, 9),
    global_places=st.just(frozenset()) | st.frozensets(st.integers(0, 8)),
    stride=st.none() | st.integers(1, 9),
    block_size=st.none() | st.integers(1, 9),
)
LENGTHS = st.tuples(st.integers(0, 9), st.integers(0, 9))
ALL = np.arange(9)


def block(mask: Mask, lengths: tuple[int, int], rows: np.ndarray = ALL) -> np.ndarray:
    return mask.may_attend(rows, ALL, lengths)


def sorted_by_row(blocked: frozenset[tuple[int, int]]) -> np.ndarray:
    return np.array(sorted(blocked), int).reshape(-1, 2).T


def test_a_mask_opens_the_cells_its_definition_says(subtests: pytest.Subtests) -> None:
    cases = [
        (Mask(), ["1111", "1111", "1111", "1111"]),
        (Mask(causal=True), ["1000", "1100", "1110", "1111"]),
        (Mask(window=2), ["1100", "1110", "0111", "0011"]),
        (Mask(window=1), ["1000", "0100", "0010", "0001"]),
        (Mask(causal=True, window=2), ["1000", "1100", "0110", "0011"]),
        (Mask(causal=True, prefix=2), ["1100", "1100", "1110", "1111"]),
        (Mask(causal=True, window=1, prefix=1), ["1000", "1100", "1010", "1001"]),
        (Mask(prefix=2), ["1111", "1111", "1111", "1111"]),
        (Mask(global_tokens=1), ["1111", "1000", "1000", "1000"]),
        (Mask(global_places=frozenset([0, 2])), ["1111", "1010", "1111", "1010"]),
        (
            Mask(global_places=frozenset([3]), causal=True, window=1),
            ["1000", "0100", "0010", "1111"],
        ),
        (Mask(global_tokens=1, causal=True), ["1000", "1000", "1000", "1000"]),
        (Mask(global_tokens=1, window=1), ["1111", "1100", "1010", "1001"]),
        (Mask(stride=2), ["1010", "0101", "1010", "0101"]),
        (Mask(stride=3, window=2, causal=True), ["1000", "1100", "0110", "1011"]),
        (Mask(block_size=2), ["1100", "1100", "0011", "0011"]),
        (Mask(block_size=3, causal=True, prefix=1), ["1000", "1100", "1110", "1001"]),
        (Mask(blocked=frozenset([(0, 3), (2, 2)])), ["1110", "1111", "1101", "1111"]),
        (
            Mask(causal=True, prefix=4, blocked=frozenset([(1, 1)])),
            ["1111", "1011", "1111", "1111"],
        ),
    ]
    for mask, rows in cases:
        with subtests.test(mask=mask):
            four = np.arange(4)
            drawn = [
                "".join("01"[int(cell)] for cell in row)
                for row in mask.may_attend(four, four, (4, 4))
            ]
            assert drawn == rows


@given(MASKS, LENGTHS)
def test_masks_compose_as_a_conjunction_and_patterns_as_one_of_them(
    mask: Mask, lengths: tuple[int, int]
) -> None:
    free = prefix(ALL, ALL, mask.prefix)
    expected = padding(ALL, ALL, *lengths) & outside_cells(ALL, ALL, sorted_by_row(mask.blocked))
    if mask.causal:
        expected &= causal(ALL, ALL) | free
    opened = [
        *([] if mask.window is None else [window(ALL, ALL, mask.window)]),
        *([] if mask.global_tokens == 0 else [global_tokens(ALL, ALL, mask.global_tokens)]),
        *([global_places(ALL, ALL, sorted(mask.global_places))] if mask.global_places else []),
        *([] if mask.stride is None else [strided(ALL, ALL, mask.stride)]),
        *([] if mask.block_size is None else [same_block(ALL, ALL, mask.block_size)]),
    ]
    if opened:
        expected &= np.any(opened, axis=0) | free
    np.testing.assert_array_equal(block(mask, lengths), expected)


@given(MASKS, LENGTHS)
def test_every_cell_is_as_the_contract_says(mask: Mask, lengths: tuple[int, int]) -> None:
    body = {
        "causal": mask.causal, "window": mask.window, "prefix": mask.prefix,
        "global_tokens": mask.global_tokens, "stride": mask.stride, "block_size": mask.block_size,
        "blocked": [list(cell) for cell in mask.blocked], "global_places": mask.global_places,
    }  # fmt: skip
    expected = [[plain.is_open(body, i, j, *lengths) for j in range(9)] for i in range(9)]
    np.testing.assert_array_equal(block(mask, lengths), expected)


@given(MASKS, LENGTHS)
def test_a_cell_is_closed_by_somebody_or_open(mask: Mask, lengths: tuple[int, int]) -> None:
    allowed = block(mask, lengths)
    for i in range(9):
        for j in range(9):
            assert bool(mask.closed_by(i, j, lengths)) == (not allowed[i, j])


@given(MASKS, LENGTHS, st.permutations(range(9)))
def test_a_block_is_cut_out_of_the_whole(
    mask: Mask, lengths: tuple[int, int], order: list[int]
) -> None:
    rows, cols = np.array(order[:4]), np.array(order[4:])
    np.testing.assert_array_equal(
        mask.may_attend(rows, cols, lengths), block(mask, lengths)[np.ix_(rows, cols)]
    )


def test_each_closing_mask_is_named() -> None:
    mask = Mask(causal=True, window=2, blocked=frozenset([(0, 5)]))
    assert mask.closed_by(0, 5, (6, 6)) == ["blocked", "causal", "window"]
    assert mask.closed_by(0, 5, (6, 5)) == ["padded_key", "blocked", "causal", "window"]
    assert mask.closed_by(5, 0, (5, 6)) == ["padded_query", "window"]
    assert mask.closed_by(3, 3, (6, 6)) == []
    assert Mask(causal=True, window=1, prefix=6).closed_by(0, 5, (6, 6)) == []


def test_of_patterns_each_is_named_where_none_opens_the_cell() -> None:
    assert Mask(global_places=frozenset([7])).closed_by(2, 4, (9, 9)) == ["global_places"]
    mask = Mask(window=2, global_tokens=1, stride=3, block_size=4)
    assert mask.closed_by(2, 4, (9, 9)) == ["window", "global_tokens", "stride", "block_size"]
    assert [mask.closed_by(*cell, (9, 9)) for cell in [(2, 1), (0, 7), (2, 5), (4, 6)]] == [[]] * 4
    assert replace(mask, blocked=frozenset([(2, 1)])).closed_by(2, 1, (9, 9)) == ["blocked"]
    assert replace(mask, prefix=5).closed_by(2, 4, (9, 9)) == []


def test_a_pattern_alone_is_a_mask() -> None:
    nothing = Mask()
    assert nothing.is_open_everywhere(4, 4, [(4, 4)])
    for name, size in {"window": 2, "global_tokens": 1, "stride": 2, "block_size": 2}.items():
        pattern: dict[str, Any] = {name: size}
        assert not replace(nothing, **pattern).is_open_everywhere(4, 4, [(4, 4)])


@given(MASKS, LENGTHS, st.tuples(*[st.integers(0, 8)] * 4), st.none() | st.integers(1, 9))
def test_a_block_that_is_called_open_or_closed_is(
    mask: Mask, lengths: tuple[int, int], corners: tuple[int, int, int, int], within: int | None
) -> None:
    mask = replace(mask, within=within)
    (top, bottom), (left, right) = sorted(corners[:2]), sorted(corners[2:])
    rows, cols = slice(top, bottom + 1), slice(left, right + 1)
    state = mask.block_state(rows, cols, lengths)
    allowed = mask.may_attend(np.r_[rows], np.r_[cols], lengths)
    assert state == "partly" or (allowed == (state == "open")).all()


def test_corners_show_what_is_open_and_what_is_closed(subtests: pytest.Subtests) -> None:
    cases = [
        (Mask(causal=True), (slice(0, 4), slice(4, 8)), (slice(4, 8), slice(0, 5))),
        (Mask(window=3), (slice(0, 3), slice(5, 9)), (slice(4, 6), slice(4, 6))),
        (Mask(within=3), (slice(5, 9), slice(0, 3)), (slice(4, 6), slice(4, 6))),
        (Mask(causal=True, prefix=4), (slice(0, 4), slice(4, 8)), (slice(0, 9), slice(0, 4))),
        (Mask(block_size=4), (slice(0, 4), slice(4, 8)), (slice(4, 8), slice(4, 8))),
        (Mask(global_tokens=2), (slice(2, 9), slice(2, 9)), (slice(0, 9), slice(0, 2))),
        (Mask(global_places=frozenset([2]), window=2), (slice(3, 5), slice(7, 9)),
         (slice(4, 6), slice(4, 6))),
        (Mask(given=np.eye(9, dtype=bool)[None, None]), (slice(0, 3), slice(3, 9)),
         (slice(3, 4), slice(3, 4))),
    ]  # fmt: skip
    for mask, closed, opened in cases:
        with subtests.test(mask=mask):
            assert mask.block_state(*opened, (9, 9)) == "open"
            assert mask.block_state(*closed, (9, 9)) == "closed"
            assert mask.block_state(*opened, (0, 9)) == "closed"


class Counted(frozenset[tuple[int, int]]):
    """Counts how often somebody goes through it."""

    times = 0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        Counted.times += 1
        return super().__iter__()


def test_blocked_cells_are_gone_through_once_however_many_blocks_there_are() -> None:
    cells = np.random.default_rng(0).integers(0, 300, (2000, 2)).tolist()
    blocked = Counted((i, j) for i, j in cells)
    mask, before = Mask(causal=True, blocked=blocked), Counted.times
    dense = causal(np.arange(300), np.arange(300))
    dense[tuple(np.array(cells).T)] = False
    rng = np.random.default_rng(1)
    for _ in range(20):
        rows, cols = (np.sort(rng.choice(300, 40, replace=False)) for _ in range(2))
        found = mask.may_attend(rows, cols, (300, 300))
        np.testing.assert_array_equal(found, dense[np.ix_(rows, cols)])
        i, j = rng.integers(0, 290, 2).tolist()
        state = mask.block_state(slice(i, i + 3), slice(j, j + 3), (300, 300))
        here = dense[i : i + 3, j : j + 3]
        assert state == "partly" or here.all() == (state == "open")
    assert mask.block_state(slice(0, 300), slice(0, 1), (300, 300)) == "partly"
    assert Counted.times - before <= 1
