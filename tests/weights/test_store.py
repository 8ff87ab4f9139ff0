"""Files by name on disk: whole or not at all, bounded, forgotten in time, shared by processes."""

from __future__ import annotations

import errno
import math
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from app.errors import StorageFull
from app.weights import disk, quota
from app.weights.store import Store

DAY = 86_400.0


def store(
    folder: Path, limit: int = 1000, expiry: float = 30 * DAY, *, evict: bool = False
) -> Store:
    return Store(folder / "kept", limit, expiry, ".bin", evict)


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def visible(folder: Path) -> set[str]:
    return {path.name for path in (folder / "kept").iterdir() if not path.name.startswith(".")}


def leftovers(folder: Path) -> list[Path]:
    return list((folder / "kept").glob(f"{disk.NEW}*"))


def forget_the_count(folder: Path) -> None:
    (folder / "kept/.ledger").unlink()


@pytest.mark.parametrize("durable", [True, False])
def test_what_is_put_is_got_and_deleted(tmp_path: Path, durable: bool) -> None:
    kept = store(tmp_path)
    path = kept.put("ab12", b"numbers", durable=durable)
    assert path.read_bytes() == b"numbers"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store(tmp_path).get("ab12") == b"numbers"
    assert kept.delete("ab12")
    assert kept.get("ab12") is None
    assert not kept.delete("ab12")
    assert not leftovers(tmp_path)


@pytest.mark.parametrize(
    "name", ["", "AB", "../secret", "a/b", "a\n", "a.bin", "..", ".secret", "é", "a" * 65, "a\0"]
)
def test_a_name_that_is_no_hex_is_not_found(tmp_path: Path, name: str) -> None:
    kept = store(tmp_path)
    kept.name_for(b"")
    (tmp_path / "secret.bin").write_bytes(b"outside")
    assert kept.get(name) is None
    assert not kept.delete(name)
    with pytest.raises(ValueError, match="hex"):
        kept.put(name, b"")


def test_a_name_is_of_the_content_and_of_the_folder(tmp_path: Path) -> None:
    kept, elsewhere = store(tmp_path), store(tmp_path / "other")
    assert kept.name_for(b"a") == store(tmp_path).name_for(b"a") != kept.name_for(b"b")
    assert kept.name_for(b"a") != elsewhere.name_for(b"a")
    assert len(kept.name_for(b"a")) == 32
    secret = tmp_path / "kept/.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_bytes()) == 32


def test_processes_that_start_together_agree_on_the_secret(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from app.weights.store import Store;"
        "print(Store(Path(sys.argv[1]), 1, 1, '.bin', False).name_for(b'same'))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "kept")]
    root = Path(__file__).resolve().parents[2]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root, text=True) for _ in range(3)
    ]
    assert len({process.communicate()[0] for process in started}) == 1


def test_a_full_store_refuses_and_keeps_what_it_has(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    with pytest.raises(StorageFull) as full:
        kept.put("b", bytes(50))
    assert full.value.reason == "quota"
    assert full.value.values == {"needed": 50, "taken": 60, "limit": 100}
    assert visible(tmp_path) == {"a.bin"}
    assert not leftovers(tmp_path)


def test_deleting_and_expiring_make_room(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    kept.delete("a")
    old = kept.put("b", bytes(60))
    age(old, 31 * DAY)
    kept.put("c", bytes(90))
    assert visible(tmp_path) == {"c.bin"}


def test_the_oldest_entries_go_where_that_is_wanted(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, evict=True)
    for days, name in enumerate("abc"):
        age(kept.put(name, bytes(30)), (10 - days) * DAY)
    kept.get("a")  # used again: now the youngest
    kept.put("d", bytes(30))
    assert visible(tmp_path) == {"a.bin", "c.bin", "d.bin"}


def test_what_is_larger_than_the_whole_quota_evicts_nothing(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, evict=True)
    kept.put("a", bytes(90))
    with pytest.raises(StorageFull):
        kept.put("b", bytes(101))
    assert visible(tmp_path) == {"a.bin"}


def test_an_expired_entry_is_not_there_and_reading_keeps_one_young(tmp_path: Path) -> None:
    kept = store(tmp_path)
    path = kept.put("a", b"x")
    age(path, 29 * DAY)
    assert kept.get("a") == b"x"
    assert time.time() - path.stat().st_mtime < 60
    age(path, 600)
    kept.get("a")
    assert time.time() - path.stat().st_mtime > 500, "not touched more than once an hour"
    age(path, 31 * DAY)
    assert kept.get("a") is None


def test_an_entry_without_expiry_stays(tmp_path: Path) -> None:
    kept = store(tmp_path, expiry=math.inf)
    age(kept.put("a", b"x"), 9999 * DAY)
    assert kept.get("a") == b"x"


def test_files_left_half_written_are_cleared_away_and_fresh_ones_are_not(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(10))
    dead, alive = (disk.new_file(tmp_path / "kept", 40) for _ in range(2))
    age(dead, 2 * quota.STALE_SECONDS)
    forget_the_count(tmp_path)
    with pytest.raises(StorageFull) as full:
        kept.put("b", bytes(60))
    assert full.value.values["taken"] == 50, "one being written counts with its full length"
    assert leftovers(tmp_path) == [alive]


def test_one_that_is_being_written_is_never_evicted(tmp_path: Path) -> None:
    kept = store(tmp_path, 100, evict=True)
    kept.put("a", bytes(10))
    alive = disk.new_file(tmp_path / "kept", 60)
    forget_the_count(tmp_path)
    with pytest.raises(StorageFull):
        kept.put("b", bytes(60))
    assert alive.exists()


def test_small_files_are_put_without_counting_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    count = quota.Quota._count
    monkeypatch.setattr(quota.Quota, "_count", lambda self: counts.append(1) or count(self))
    kept = store(tmp_path, 1000, evict=True)
    for i in range(300):
        kept.put(f"{i:x}", bytes(10), durable=False)
    assert len(counts) < 30
    assert sum(path.stat().st_size for path in (tmp_path / "kept").glob("*.bin")) <= 1000


def test_a_broken_ledger_is_written_anew(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    (tmp_path / "kept/.ledger").write_text("?")
    with pytest.raises(StorageFull):
        kept.put("b", bytes(60))


def test_the_same_content_takes_its_room_once(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    path = kept.put("a", bytes(60))
    age(path, 5 * DAY)
    kept.put("a", bytes(60))
    assert time.time() - path.stat().st_mtime < 60


def test_a_torn_entry_is_written_again(tmp_path: Path) -> None:
    kept = store(tmp_path)
    path = kept.put("a", b"right", durable=False)
    path.write_bytes(b"wrong")
    kept.put("a", b"right", durable=False)
    assert kept.get("a") == b"right"


def test_threads_together_stay_within_the_quota(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    refused: list[str] = []

    def put(name: str) -> None:
        try:
            kept.put(name, bytes(30), durable=False)
        except StorageFull:
            refused.append(name)

    threads = [threading.Thread(target=put, args=(f"{i:x}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(visible(tmp_path)) == 3
    assert len(refused) == 9


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "not_writable"),
        (errno.EACCES, "not_writable"),
    ],
)
def test_a_disk_that_refuses_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageFull) as full:
        store(tmp_path).put("a", b"x")
    assert full.value.reason == reason
    assert not visible(tmp_path)
    assert not leftovers(tmp_path)


def test_other_troubles_of_a_disk_are_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="broken"):
        store(tmp_path).put("a", b"x")


def test_a_store_says_whether_it_can_be_written(tmp_path: Path) -> None:
    assert store(tmp_path).writable()
    assert not leftovers(tmp_path)
    (tmp_path / "file").write_text("no folder")
    assert not Store(tmp_path / "file" / "kept", 1, 1, ".bin", False).writable()
