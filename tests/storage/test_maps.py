"""Entries about large maps: bounded, whole, never missed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from attnscope.storage.cache import MapStore


def test_an_entry_is_found_again_by_another_worker(tmp_path: Path) -> None:
    MapStore(tmp_path / "maps", 100).put("one", b"numbers")
    other = MapStore(tmp_path / "maps", 100)
    assert other.get("one") == b"numbers"
    assert other.get("two") is None
    assert os.stat(next((tmp_path / "maps").glob("*.map"))).st_mode & 0o077 == 0


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    store = MapStore(tmp_path, 100)
    for at, name in enumerate(("a", "b")):
        store.put(name, b"x" * 40)
        os.utime(store._path(name), (at, at))
    assert store.get("a")  # is young again
    store.put("c", b"x" * 40)
    assert [name for name in "abc" if store.get(name)] == ["a", "c"]


def test_what_is_larger_than_all_the_room_is_not_kept(tmp_path: Path) -> None:
    store = MapStore(tmp_path, 100)
    store.put("a", b"x" * 60)
    store.put("b", b"x" * 101)
    assert store.get("b") is None
    assert store.get("a")


def test_where_nothing_may_be_written_nothing_is_kept_and_nothing_is_reported(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    store = MapStore(tmp_path / "file" / "maps", 100)
    store.put("a", b"x")
    assert store.get("a") is None
    with store.claim("a") as mine:
        assert mine


def test_an_entry_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    store = MapStore(tmp_path, 100)
    store.put("a", b"x")
    store._path("a").rename(store._path("b"))
    assert store.get("b") is None


def test_what_a_crash_left_half_written_goes(tmp_path: Path) -> None:
    (tmp_path / ".new-abc").write_bytes(b"half")
    MapStore(tmp_path, 100).put("a", b"x")
    assert not list(tmp_path.glob(".new-*"))


CLAIMING = """
import sys
from pathlib import Path
from attnscope.storage.cache import MapStore
with MapStore(Path(sys.argv[1]), 100).claim(sys.argv[2]) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_one_process_at_a_time_has_a_claim_and_a_dead_one_none(tmp_path: Path) -> None:
    def claiming(name: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", CLAIMING, str(tmp_path), name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    store = MapStore(tmp_path, 100)
    with claiming("a") as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with store.claim("a") as mine:
            assert not mine
        with store.claim("b") as mine:
            assert mine
        other.kill()
        other.wait()
        with store.claim("a") as mine:
            assert mine
