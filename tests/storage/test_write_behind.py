"""What is kept a moment later: together, by a thread, and not lost when the process ends."""

from __future__ import annotations

from threading import Event

import pytest

from attnscope.storage.write_behind import WriteBehind

PATIENCE = 10.0


def test_what_comes_within_a_moment_is_kept_together() -> None:
    kept: list[dict[str, int]] = []
    soon: WriteBehind[str, int] = WriteBehind(kept.append, pause=3600, most=8)
    assert soon.add("a", 1)
    assert soon.add("b", 2)
    assert soon.add("a", 3)
    assert soon.known() == {"a": 3, "b": 2}
    assert "a" in soon
    assert "c" not in soon
    assert kept == []
    soon.flush()
    assert kept == [{"a": 3, "b": 2}]
    assert soon.known() == {}
    soon.flush()
    assert len(kept) == 1, "nothing waits: nobody is asked"


def test_a_thread_keeps_it_after_the_pause() -> None:
    done = Event()
    soon: WriteBehind[str, int] = WriteBehind(lambda some: done.set(), pause=0.001, most=8)
    for value in range(2):  # the second begins a pause of its own
        soon.add("a", value)
        assert done.wait(PATIENCE)
        done.clear()
        soon.flush()


def test_no_more_than_so_many_wait() -> None:
    soon: WriteBehind[int, int] = WriteBehind(lambda some: None, pause=3600, most=2)
    assert [soon.add(i, i) for i in range(3)] == [True, True, False]
    soon.flush()
    assert soon.add(3, 3)


def test_what_is_being_kept_is_known_until_it_is() -> None:
    begun, go_on = Event(), Event()

    def keep(some: dict[str, int]) -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    soon: WriteBehind[str, int] = WriteBehind(keep, pause=0.001, most=2)
    soon.add("a", 1)
    assert begun.wait(PATIENCE)
    assert soon.known() == {"a": 1}
    assert "a" in soon
    soon.add("b", 2)
    assert soon.known() == {"a": 1, "b": 2}
    go_on.set()
    soon.flush()
    assert soon.known() == {}


def test_what_could_not_be_kept_is_let_go() -> None:
    def keep(some: dict[str, int]) -> None:
        raise ValueError("nothing takes it")

    soon: WriteBehind[str, int] = WriteBehind(keep, pause=3600, most=2)
    soon.add("a", 1)
    with pytest.raises(ValueError, match="nothing takes it"):
        soon.flush()
    assert soon.known() == {}
    assert soon.add("b", 2)
    assert soon.add("c", 3)
