"""Tiles of a long text are those of the same text as a whole; a pass is made once for all."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope import cancellation
from attnscope.attention.attend import MAPS
from attnscope.attention.one_head import OneHead
from attnscope.attention.overview import Overview, Tick
from attnscope.storage.cache import Cache, MapStore
from attnscope.tiles.picture import TILE, Address, count_levels, squares_of
from attnscope.tiles.picture_cache import MapPlace
from attnscope.trace.long_map import LongMap
from attnscope.trace.passes import Passes, from_bytes, size_of, to_bytes
from attnscope.trace.trace import LongTrace, Trace, answer
from tests.matrices import some_and_all
from tests.tiles.test_tiles import QUESTIONS, gallery, trace_of


def both(name: str, passes: Passes | None = None) -> tuple[Trace, LongTrace]:
    whole = trace_of(name)
    lengthy = answer(replace(whole.plan, long=True, dtype="float32"), passes)
    assert isinstance(lengthy, LongTrace)
    return whole, replace(lengthy, coarse=160)


def tiles_are_those_of_the_dense_map(whole: Trace, lengthy: Trace, stage: str) -> None:
    picture_cache, dense = gallery(), gallery()
    at = MapPlace(stage, 0, 1, whole.plan.batch - 1)
    shape = whole.plan.shape_of(stage)
    levels = count_levels(*shape[-2:])
    low, high = dense.extent(whole, at)
    # A pass does not look for the smallest weight: 0 stands for it.
    expected = (0.0 if stage == "weights" else low, high)
    np.testing.assert_allclose(picture_cache.extent(lengthy, at), expected, rtol=1e-5)
    for z in range(levels):
        side = 1 << (levels - 1 - z)
        for row, col in np.ndindex(*(-(-count // (TILE * side)) for count in shape[-2:])):
            squares = squares_of(shape, Address(z, row, col))
            for reduce in ("mean", "max", "strongest"):
                one = picture_cache.picture(lengthy, at, squares, reduce)
                other = dense.picture(whole, at, squares, reduce)
                np.testing.assert_array_equal(one.closed, other.closed)
                size = np.abs(other.values[~other.closed]).max(initial=1.0)
                np.testing.assert_allclose(one.values, other.values, rtol=2e-5, atol=2e-6 * size)


@pytest.mark.parametrize("rows", some_and_all(list(QUESTIONS), MAPS))
def test_tiles_are_those_of_the_dense_map(
    rows: list[tuple[str, str]], subtests: pytest.Subtests
) -> None:
    for name, stage in rows:
        with subtests.test(f"{name} {stage}"):
            tiles_are_those_of_the_dense_map(*both(name), stage)


def test_thumbnails_are_those_of_the_whole() -> None:
    whole, lengthy = both("causal")
    one, other = (gallery().head_thumbnails(trace, 0, 64, "even") for trace in (whole, lengthy))
    assert np.abs(one.bits.astype(int) - other.bits).max() <= 1
    np.testing.assert_allclose(one.extent, other.extent, rtol=1e-5)


def an_overview() -> Overview:
    _, lengthy = both("causal")
    found = lengthy.map("weights", 0, 0)
    assert isinstance(found, LongMap)
    return found.overview


def test_an_overview_is_the_same_from_the_disk() -> None:
    made = an_overview()
    again = from_bytes(to_bytes(made))
    assert again is not None
    assert made.rows is not None
    assert again.rows is not None
    assert (again.side, again.low, again.high) == (made.side, made.low, made.high)
    for one, other in zip(made.level, again.level, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(made.rows.sums, again.rows.sums)
    np.testing.assert_array_equal(made.rows.largest, again.rows.largest)
    assert size_of(again) == size_of(made) > 0
    assert from_bytes(b"") is None
    assert from_bytes(to_bytes(made)[:-9]) is None


class Maker:
    """Makes an overview when it is let, and counts how often."""

    def __init__(self, overview: Overview) -> None:
        self.overview, self.made = overview, 0
        self.may = threading.Event()

    def __call__(self, tick: Tick) -> Overview:
        self.made += 1
        while not self.may.wait(0.005):
            tick(1, 2)
        return self.overview


class Held(Executor):
    """Computes here at once, but waits where the pass is over head 0."""

    def __init__(self) -> None:
        self.begun, self.ready = threading.Event(), threading.Event()

    def submit(self, task: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        bare = next(one for one in args if isinstance(one, OneHead))
        if bare.head == 0:
            self.begun.set()
            assert self.ready.wait(60)
        done: Future[Any] = Future()
        done.set_result(task(*args, **named))
        return done


def test_passes_over_two_maps_do_not_wait_for_each_other() -> None:
    held = Held()
    _, lengthy = both("causal", Passes(executor=held))
    picture_cache = gallery()
    first = threading.Thread(
        target=lambda: picture_cache.extent(lengthy, MapPlace("weights", 0, 0))
    )
    first.start()
    assert held.begun.wait(60)
    second = threading.Thread(
        target=lambda: picture_cache.extent(lengthy, MapPlace("weights", 0, 1))
    )
    second.start()
    second.join(60)
    over = not second.is_alive()
    held.ready.set()
    first.join(60)
    assert over


def test_who_asks_for_the_same_pass_shares_it_and_the_disk_keeps_it(tmp_path: Path) -> None:
    maker = Maker(an_overview())
    cache = Cache(1 << 30)
    passes = Passes(cache, MapStore(tmp_path / "shared", 1 << 30))
    found: list[Overview] = []
    progress: list[tuple[int, int]] = []

    def ask() -> None:
        found.append(passes.overview("a", maker, lambda done, of: progress.append((done, of))))

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    while not progress:
        time.sleep(0.005)
    maker.may.set()
    for thread in threads:
        thread.join()
    assert (maker.made, len(found)) == (1, 5)
    assert set(progress) <= {(1, 2), (0, 1)}
    other = Passes(Cache(1 << 30), MapStore(tmp_path / "shared", 1 << 30))
    assert other.overview("a", maker).high == maker.overview.high
    assert maker.made == 1


def test_a_pass_goes_on_while_somebody_waits_and_ends_when_all_have_left(tmp_path: Path) -> None:
    maker = Maker(an_overview())
    passes = Passes(Cache(1 << 30), MapStore(tmp_path / "shared", 1 << 30))
    left = [threading.Event(), threading.Event()]
    ends: dict[int, object] = {}

    def ask(i: int) -> None:
        with cancellation.cancel_when(left[i].is_set):
            try:
                ends[i] = passes.overview("a", maker)
            except cancellation.ClientDisconnected as error:
                ends[i] = error

    first, second = (threading.Thread(target=ask, args=(i,)) for i in (0, 1))
    first.start()
    while not maker.made:
        time.sleep(0.005)
    second.start()
    while not passes._flights["a"].waiting:
        time.sleep(0.005)
    left[0].set()  # who began it; the other one still waits
    time.sleep(0.05)
    assert first.is_alive()
    left[1].set()
    first.join()
    second.join()
    assert all(isinstance(end, cancellation.ClientDisconnected) for end in ends.values())
    maker.may.set()
    assert passes.overview("a", maker) is maker.overview


def test_a_full_disk_costs_the_memory_of_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = Maker(an_overview())
    maker.may.set()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    passes = Passes(Cache(0), MapStore(tmp_path / "shared", 1 << 30))
    assert passes.overview("a", maker) is maker.overview
    assert passes.overview("a", maker) is maker.overview
    assert maker.made == 2
