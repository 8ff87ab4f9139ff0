"""Time that a running server has seen, whatever the wall clock says."""

from __future__ import annotations

import math

import pytest

from attnscope.storage.expiry_clock import DAY, HOUR, ClockState, UptimeClock
from tests.clock import Clock

YEAR = 365 * DAY


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_it_begins_with_the_wall_clock_and_goes_on_with_the_monotonic_one(clock: Clock) -> None:
    lived = UptimeClock(30 * DAY)
    assert lived.due
    assert lived.advance(None) == ClockState(1e9, 1e9)
    clock.tick(1800)
    assert (lived.now, lived.due) == (1e9 + 1800, False)
    clock.tick(1800)
    assert lived.due
    assert lived.advance(ClockState(1e9, 1e9)).lived == 1e9 + HOUR


@pytest.mark.parametrize("jump", [YEAR, -YEAR, -40 * YEAR])
def test_a_jump_while_it_runs_moves_nothing(clock: Clock, jump: float) -> None:
    lived = UptimeClock(30 * DAY)
    last = lived.advance(None)
    clock.jump(jump)
    clock.tick(2 * HOUR)
    assert lived.advance(last) == ClockState(1e9 + 2 * HOUR, clock.wall)


@pytest.mark.parametrize(
    ("away", "expiry", "counted"),
    [(HOUR, 30 * DAY, HOUR), (YEAR, 30 * DAY, DAY), (-YEAR, 30 * DAY, 0), (YEAR, 3000, 100)],
)
def test_a_restart_counts_a_thirtieth_of_the_expiry_at_the_most(
    clock: Clock, away: float, expiry: float, counted: float
) -> None:
    last = UptimeClock(expiry).advance(None)
    clock.jump(away)
    assert UptimeClock(expiry).advance(last).lived == 1e9 + counted


def test_a_worker_goes_on_from_the_look_of_another(clock: Clock) -> None:
    one, two = UptimeClock(30 * DAY), UptimeClock(30 * DAY)
    last = one.advance(None)
    clock.tick(600)
    last = two.advance(last)
    assert last.lived == 1e9 + 600
    clock.tick(HOUR)
    assert one.advance(last).lived == two.advance(last).lived == 1e9 + 600 + HOUR


def test_what_never_expires_lives_too(clock: Clock) -> None:
    last = UptimeClock(math.inf).advance(None)
    clock.jump(YEAR)
    assert UptimeClock(math.inf).advance(last).lived == 1e9 + DAY
