"""Memory that is left is used again, and never while anybody can still see it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from attnscope.attention import memory

SHAPE = (3, 700, 800)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    memory.drop_free_buffers()
    yield
    memory.drop_free_buffers()


def place(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_what_is_left_is_used_again() -> None:
    first = memory.empty(SHAPE, np.float32)
    where = place(first)
    del first
    assert place(memory.empty(SHAPE, np.float32)) == where


def left() -> list[int]:
    return [one.nbytes for some in memory._free.values() for one in some]


def test_a_view_keeps_its_memory(subtests: pytest.Subtests) -> None:
    for view in ("array[1]", "array.transpose(2, 0, 1)[::2]", "array.ravel()[5:]"):
        with subtests.test(view):
            array = memory.empty(SHAPE, np.float32)
            array[...] = 7
            seen = eval(view)
            del array
            gc.collect()
            others = [memory.empty(SHAPE, np.float32) for _ in range(3)]
            for other in others:
                other[...] = 1
            assert (seen == 7).all()
            assert not any(np.shares_memory(seen, other) for other in others)


def test_another_size_or_a_small_array_is_fresh() -> None:
    memory.empty(SHAPE, np.float32)  # and gone
    other = memory.empty((3, 700, 801), np.float32)
    assert other.shape == (3, 700, 801)
    assert left() == [3 * 700 * 800 * 4]
    memory.empty((4, 4), np.float64)
    assert left() == [3 * 700 * 800 * 4]


def test_numbers_begin_where_the_processor_loads() -> None:
    assert place(memory.empty(SHAPE, np.float32)) % memory.LINE == 0


def test_so_much_is_kept_and_the_oldest_goes() -> None:
    sizes = [memory.KEPT // 3 + at for at in range(1, 6)]
    arrays = [memory.empty((size,), np.uint8) for size in sizes]  # never written: no page is used
    while arrays:
        arrays.pop(0)
    assert sorted(left()) == sizes[-2:]


def test_of_a_size_that_is_used_again_and_again_one_is_kept() -> None:
    for _ in range(5):
        memory.empty(SHAPE, np.float32)
    assert len(left()) == 1


def test_a_size_that_is_used_again_is_kept_longer() -> None:
    first, second, third = (memory.KEPT * 2 // 5 + at for at in range(3))
    for size in (first, second, first, third):
        memory.empty((size,), np.uint8)
    assert sorted(left()) == [first, third]
