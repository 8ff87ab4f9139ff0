"""What the store forgets, when: by the time it has lived, whatever the wall clock says."""

from __future__ import annotations

import errno
import math
import os
from pathlib import Path

import pytest

from attnscope.storage.expiry_clock import DAY, HOUR
from tests.clock import Clock
from tests.storage.test_uploads import data_of, sent, stamp, store, visible

YEAR = 365 * DAY


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_deleting_and_expiring_make_room(tmp_path: Path, clock: Clock) -> None:
    kept = store(tmp_path, 100, entries=1)
    kept.delete(kept.put(sent(bytes(60))))
    kept.put(sent(bytes(70)))
    clock.tick(31 * DAY)
    last = kept.put(sent(bytes(90)))
    assert visible(tmp_path) == {last}


@pytest.mark.parametrize("how", ["get", "exists", "put"])
def test_an_unused_entry_goes_and_using_keeps_one_young(
    tmp_path: Path, how: str, clock: Clock
) -> None:
    kept = store(tmp_path)
    name, other = kept.put(sent(b"used")), kept.put(sent(b"left alone"))

    def use() -> bool:
        return bool(kept.put(sent(b"used")) if how == "put" else getattr(kept, how)(name))

    for _ in range(3):
        clock.tick(20 * DAY)
        assert use()
    assert visible(tmp_path) == {name}
    assert not kept.exists(other)
    used = stamp(tmp_path, name).stat().st_mtime
    clock.tick(600)
    assert kept.exists(name)
    assert stamp(tmp_path, name).stat().st_mtime == used, "not touched more than once an hour"
    clock.tick(31 * DAY)
    kept.put(sent(b"another"))
    assert not use() or how == "put"


def test_a_short_expiry_is_renewed_in_time(tmp_path: Path, clock: Clock) -> None:
    kept = store(tmp_path, expiry=1000)
    name = kept.put(sent(b"x"))
    for _ in range(20):
        clock.tick(200)
        assert kept.exists(name)


def test_an_entry_without_expiry_stays(tmp_path: Path, clock: Clock) -> None:
    kept = store(tmp_path, expiry=math.inf)
    name = kept.put(sent(b"x"))
    clock.tick(9999 * DAY)
    kept.put(sent(b"y"))
    assert data_of(kept, name) == [b"x"]


@pytest.mark.parametrize("jump", [2 * YEAR, -2 * YEAR])
@pytest.mark.parametrize("restart", [False, True], ids=["running", "restarted"])
def test_a_clock_that_jumps_and_one_that_jumps_back_cost_no_upload(
    tmp_path: Path, clock: Clock, jump: float, restart: bool
) -> None:
    kept = store(tmp_path, entries=99)
    name = kept.put(sent(b"before"))
    for i, way in enumerate((jump, -jump)):
        clock.jump(way)
        kept = store(tmp_path, entries=99) if restart else kept
        for j in range(3):  # looks at the time, an hour apart
            kept.put(sent(b"meanwhile", bytes([i, j])))
            clock.tick(2 * HOUR)
    assert data_of(kept, name) == [b"before"]


@pytest.mark.parametrize("jump", [2 * YEAR, -2 * YEAR])
def test_after_a_jump_that_stays_an_upload_has_the_rest_of_its_days(
    tmp_path: Path, clock: Clock, jump: float
) -> None:
    kept = store(tmp_path)
    kept.put(sent(b"unused"))
    clock.jump(jump)
    for _ in range(25):
        clock.tick(DAY)
        name = kept.put(sent(b"used"))
    assert len(visible(tmp_path)) == 2
    clock.tick(6 * DAY)
    kept.exists(name)
    assert visible(tmp_path) == {name}


def test_the_first_look_after_a_restart_deletes_nothing(tmp_path: Path, clock: Clock) -> None:
    name = store(tmp_path).put(sent(b"x"))
    for _ in range(40):  # restarts, each a month after the other
        clock.jump(30 * DAY)
        restarted = store(tmp_path)
        restarted.put(sent(b"y"))
        assert name in visible(tmp_path)
    clock.tick(HOUR)
    restarted.put(sent(b"y"))
    assert name not in visible(tmp_path), "forty times a thirtieth of its days have passed"


@pytest.mark.parametrize("kept_clock", [b"", b"[NaN, 0]", b"[1]", b"{}", None])
def test_a_clock_that_is_lost_or_damaged_begins_anew(
    tmp_path: Path, clock: Clock, kept_clock: bytes | None
) -> None:
    name = store(tmp_path).put(sent(b"x"))
    if kept_clock is None:
        (tmp_path / "kept/.lived").unlink()
    else:
        (tmp_path / "kept/.lived").write_bytes(kept_clock)
    clock.jump(50 * YEAR)
    kept = store(tmp_path)
    for _ in range(29):
        kept.put(sent(b"y"))
        clock.tick(DAY)
    assert data_of(kept, name) == [b"x"]


def test_what_cannot_be_touched_can_still_be_read(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store(tmp_path)
    name = kept.put(sent(b"x"))
    clock.tick(DAY)

    def refuse(path: Path, times: tuple[float, float]) -> None:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(os, "utime", refuse)
    assert data_of(kept, name) == [b"x"]
