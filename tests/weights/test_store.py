"""Uploads by name on disk: whole or not at all, bounded, forgotten in time, shared."""

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
from app.weights.disk import NEW, locked
from app.weights.store import Store

DAY = 86_400.0
ROOT = Path(__file__).resolve().parents[2]


def store(folder: Path, limit: int = 1000, expiry: float = 30 * DAY) -> Store:
    return Store(folder / "kept", limit, expiry)


def file_of(folder: Path, name: str) -> Path:
    return folder / f"kept/{name}.safetensors"


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def age_of(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def visible(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "kept").iterdir() if not path.name.startswith(".")}


def leftovers(folder: Path) -> list[Path]:
    return list((folder / "kept").glob(f"{NEW}*"))


def test_what_is_put_is_got_and_deleted(tmp_path: Path) -> None:
    kept = store(tmp_path)
    kept.put("ab12", b"numbers")
    assert stat.S_IMODE(file_of(tmp_path, "ab12").stat().st_mode) == 0o600
    assert store(tmp_path).get("ab12") == b"numbers"
    assert store(tmp_path).exists("ab12")
    assert kept.delete("ab12")
    assert kept.get("ab12") is None
    assert not kept.exists("ab12")
    assert not kept.delete("ab12")
    assert not leftovers(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["", "AB", "../secret", "a/b", "a\n", "a.safetensors", "..", ".secret", "é", "a" * 65, "a\0"],
)
def test_a_name_that_is_no_hex_is_not_found(tmp_path: Path, name: str) -> None:
    kept = store(tmp_path)
    kept.name_for(b"")
    (tmp_path / "secret.safetensors").write_bytes(b"outside")
    assert kept.get(name) is None
    assert not kept.exists(name)
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
        "print(Store(Path(sys.argv[1]), 1, 1).name_for(b'same'))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "kept")]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) for _ in range(3)
    ]
    names = {process.communicate()[0].strip() for process in started}
    assert names == {store(tmp_path).name_for(b"same")}


def test_a_full_store_refuses_and_keeps_what_it_has(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    with pytest.raises(StorageFull) as full:
        kept.put("b", bytes(50))
    assert full.value.reason == "quota"
    assert full.value.values == {"needed": 50, "taken": 60, "limit": 100}
    assert visible(tmp_path) == {"a"}
    assert not leftovers(tmp_path)
    kept.put("b", bytes(40))
    assert visible(tmp_path) == {"a", "b"}


def test_deleting_and_expiring_make_room(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    kept.delete("a")
    kept.put("b", bytes(60))
    age(file_of(tmp_path, "b"), 31 * DAY)
    kept.put("c", bytes(90))
    assert visible(tmp_path) == {"c"}


@pytest.mark.parametrize("how", ["get", "exists"])
def test_an_expired_entry_is_not_there_and_using_keeps_one_young(tmp_path: Path, how: str) -> None:
    kept = store(tmp_path)
    kept.put("a", b"x")
    use, path = getattr(kept, how), file_of(tmp_path, "a")
    age(path, 29 * DAY)
    assert use("a")
    assert age_of(path) < 60
    age(path, 600)
    assert use("a")
    assert age_of(path) > 500, "not touched more than once an hour"
    age(path, 31 * DAY)
    assert not use("a")


def test_a_short_expiry_is_renewed_in_time(tmp_path: Path) -> None:
    kept = store(tmp_path, expiry=1000)
    kept.put("a", b"x")
    age(file_of(tmp_path, "a"), 200)
    assert kept.exists("a")
    assert age_of(file_of(tmp_path, "a")) < 60


def test_an_entry_without_expiry_stays(tmp_path: Path) -> None:
    kept = store(tmp_path, expiry=math.inf)
    kept.put("a", b"x")
    age(file_of(tmp_path, "a"), 9999 * DAY)
    assert kept.get("a") == b"x"


def test_what_cannot_be_touched_can_still_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store(tmp_path)
    kept.put("a", b"x")
    age(file_of(tmp_path, "a"), DAY)

    def refuse(path: Path) -> None:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(os, "utime", refuse)
    assert kept.get("a") == b"x"


def test_files_left_half_written_are_cleared_away(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(10))
    (tmp_path / f"kept/{NEW}dead").write_bytes(bytes(95))
    kept.put("b", bytes(60))
    assert not leftovers(tmp_path)
    assert visible(tmp_path) == {"a", "b"}


def test_one_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    kept = store(tmp_path)
    writing = threading.Thread(target=kept.put, args=("a", b"x"))
    with locked(tmp_path / "kept"):
        writing.start()
        writing.join(0.05)
        assert writing.is_alive()
        assert not visible(tmp_path)
    writing.join()
    assert visible(tmp_path) == {"a"}


def test_the_same_content_takes_its_room_once(tmp_path: Path) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    age(file_of(tmp_path, "a"), 5 * DAY)
    kept.put("a", bytes(60))
    assert age_of(file_of(tmp_path, "a")) < 60


@pytest.mark.parametrize("damaged", [b"wrong" * 12, b"short", b""])
def test_a_damaged_entry_is_written_again_in_its_own_room(tmp_path: Path, damaged: bytes) -> None:
    kept = store(tmp_path, 100)
    kept.put("a", bytes(60))
    file_of(tmp_path, "a").write_bytes(damaged)
    kept.put("a", bytes(60))
    assert kept.get("a") == bytes(60)


def test_threads_together_stay_within_the_quota(tmp_path: Path) -> None:
    refused: list[str] = []

    def put(name: str) -> None:
        try:
            store(tmp_path, 100).put(name, bytes(30))
        except StorageFull:
            refused.append(name)

    threads = [threading.Thread(target=put, args=(f"{i:x}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(visible(tmp_path)) == 3
    assert len(refused) == 9


def test_a_disk_that_refuses_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageFull) as full:
        store(tmp_path).put("a", b"x")
    assert full.value.reason == "disk_full"
    assert not visible(tmp_path)
    assert not leftovers(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("in the way")
    kept = store(tmp_path)
    assert not kept.writable()
    for use in (lambda: kept.put("a", b"x"), lambda: kept.get("a"), lambda: kept.name_for(b"x")):
        with pytest.raises(StorageFull) as full:
            use()
        assert full.value.reason == "not_writable"


def test_a_store_says_whether_it_can_be_written(tmp_path: Path) -> None:
    assert store(tmp_path).writable()
    assert not visible(tmp_path)
