"""Spreading work over the cores changes when it is done, not what comes out."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
import pytest

from attnscope import cancellation
from attnscope.attention import thread_pool
from attnscope.attention.architecture import Architecture, Shape
from attnscope.attention.attend import attend_heads
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.strips import SPREAD_CELLS


def test_every_item_is_done_once(subtests: pytest.Subtests) -> None:
    for count, spread in product((0, 1, 2, 7), (True, False)):
        with subtests.test(count=count, spread=spread):
            done: list[int] = []
            thread_pool.for_each(done.append, range(count), spread)
            assert sorted(done) == list(range(count))


def test_without_spreading_the_order_is_kept_in_this_thread() -> None:
    seen: list[tuple[int, str]] = []
    thread_pool.for_each(
        lambda i: seen.append((i, threading.current_thread().name)), range(5), False
    )
    assert seen == [(i, threading.current_thread().name) for i in range(5)]


def test_what_goes_wrong_in_a_thread_is_raised_here() -> None:
    def fail(item: int) -> None:
        if item == 3:
            raise ArithmeticError("item 3")

    with pytest.raises(ArithmeticError, match="item 3"):
        thread_pool.for_each(fail, range(5), True)


def test_every_thread_asks_whether_the_work_is_still_wanted() -> None:
    threads = min(2, thread_pool._pool()[1])
    together = threading.Barrier(threads, timeout=60)
    asked: set[str] = set()

    def wait_for_the_others(_: int) -> None:
        together.wait()
        cancellation.check()

    def left() -> bool:
        asked.add(threading.current_thread().name)
        return False

    with cancellation.cancel_when(left):
        thread_pool.for_each(wait_for_the_others, range(threads), True)
    assert len(asked) == threads


class Watched(list[int]):
    """Items, and whether all of them were taken."""

    def __init__(self, items: Iterable[int]) -> None:
        super().__init__(items)
        self.left, self.gone = list(reversed(self)), threading.Event()

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.left:
            return self.left.pop()
        self.gone.set()
        raise StopIteration


def test_what_has_not_begun_when_an_item_fails_here_never_does() -> None:
    done: list[int] = []
    items = Watched(range(1000))

    def work(item: int) -> None:
        if threading.current_thread() is threading.main_thread():
            raise ArithmeticError
        items.gone.wait(60)
        done.append(item)

    with pytest.raises(ArithmeticError):
        thread_pool.for_each(work, items, True)
    assert len(done) < thread_pool._pool()[1] + 1


def test_a_spread_call_inside_an_item_is_done_in_its_thread() -> None:
    seen: list[bool] = []

    def inner(name: str) -> None:
        thread_pool.for_each(
            lambda _: seen.append(threading.current_thread().name == name), range(4), True
        )

    thread_pool.for_each(lambda _: inner(threading.current_thread().name), range(6), True)
    assert seen == [True] * 24


def test_what_numpy_is_set_to_for_the_work_is_forgotten_after_it() -> None:
    before, seen = (np.getbufsize(), np.geterr()), []

    def look(_: int) -> None:
        seen.append((np.getbufsize(), np.geterr()["over"]))

    for spread, buffer in ((True, thread_pool.UFUNC_BUFFER), (False, before[0])):
        thread_pool.for_each(look, [0, 1], spread)
        assert set(seen) == {(buffer, "ignore")}
        assert (np.getbufsize(), np.geterr()) == before
        seen.clear()


def test_nobody_waits_for_cores_that_others_have() -> None:
    gate, pool = threading.Event(), thread_pool._pool()[0]
    others = [pool.submit(gate.wait, 60) for _ in range(thread_pool._pool()[1])]
    done: list[int] = []
    thread_pool.for_each(done.append, range(5), True)
    assert done == [0, 1, 2, 3, 4]
    assert not any(other.done() for other in others)
    gate.set()


def test_threads_give_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(2, heads, 300, 8)) for heads in (4, 2, 2))
    lengths, options = [(300, 300), (170, 170)], Options(0.35, 1.0, Mask(causal=True))
    setting = LayerContext(Architecture(Shape(4, 2, 32, 8, 8)), lengths, options)

    def answer() -> list[bytes]:
        maps, head_outputs = attend_heads(q, k, v, setting)
        return [array.tobytes() for array in (*maps.values(), head_outputs)]

    assert SPREAD_CELLS <= 2 * 4 * 300 * 300
    in_one_thread: list[list[bytes]] = []
    # Work inside an item of the pool is not spread again.
    thread_pool.for_each(lambda _: in_one_thread.append(answer()), range(2), True)
    assert in_one_thread == [answer()] * 2
