"""Nested lists of numbers become one array; what is no number never reaches numpy."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest

from attnscope.weights.nested import (
    PIECE,
    NotNumbers,
    Ragged,
    check_rows,
    filled,
    pieces,
    shape_along_first,
)


def test_the_shape_is_read_along_the_first_items() -> None:
    assert shape_along_first([[[1, 2]], [[3, 4]]]) == (2, 1, 2)
    assert shape_along_first([[], [1]]) == (2, 0)
    assert shape_along_first([{}]) == (1,)


def test_numbers_come_in_their_order_however_many_pieces_they_take(
    subtests: pytest.Subtests,
) -> None:
    for shape in ((3,), (2, PIECE + 1), (PIECE + 1, 2), (3, 4, 5), (2, 0)):
        with subtests.test(shape=shape):
            array = np.arange(float(np.prod(shape))).reshape(shape) / 3
            value = array.tolist()
            check_rows(value, shape)
            found = filled(value, shape)
            assert found.dtype == np.float64
            np.testing.assert_array_equal(found, array)


def test_whole_numbers_are_numbers_up_to_the_largest_float() -> None:
    assert filled([1, -(2**63), 2**64, 10**300], (4,)).tolist() == [1.0, -(2.0**63), 2.0**64, 1e300]
    with pytest.raises(NotNumbers):
        filled([10**400], (1,))


def test_a_leaf_of_another_type_is_no_number_wherever_it_stands(subtests: pytest.Subtests) -> None:
    leaves: tuple[Any, ...] = ("1", "", None, True, {}, b"1", 1j)
    for leaf in leaves:
        with subtests.test(leaf=leaf):
            row = [1.0] * (PIECE + 10)
            for place in (0, PIECE - 1, PIECE, -1):
                wrong = [row, [*row]]
                wrong[1][place] = leaf
                with pytest.raises(NotNumbers):
                    filled(wrong, (2, len(row)))


def test_rows_of_another_length_or_depth_are_ragged() -> None:
    for value in ([[1, 2], [3]], [[1, 2], 3], [[1, 2], "ab"]):
        with pytest.raises(Ragged):
            check_rows(value, (2, 2))
    with pytest.raises(Ragged):
        filled([[1, 2], [3, [4]]], (2, 2))


def test_pieces_lose_nothing() -> None:
    taken = list(pieces(range(2 * PIECE + 1)))
    assert [len(piece) for piece in taken] == [PIECE, PIECE, 1]
    assert list(chain(*taken)) == list(range(2 * PIECE + 1))
