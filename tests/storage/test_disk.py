"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from attnscope.errors import Busy, StorageFull
from attnscope.storage.disk import (
    NEW,
    TEMPORARY,
    clear_leftovers,
    keep_private,
    locked,
    move_into_place,
    remove_atomically,
    storage_errors,
    temporary_folder,
    writable,
    write_new,
    write_whole,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def left_by_an_older_release(data: Path) -> None:
    """Files as 0.1.0 left them under a umask of 022, and some that we leave alone."""
    (data / "models").mkdir(parents=True)
    for name in ("questions.sqlite", "questions.sqlite-wal", ".lock", "models/.lock"):
        (data / name).write_bytes(b"")
        (data / name).chmod(0o644)
    for folder in (data, data / "models"):
        folder.chmod(0o755)


def test_a_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_content_and_name_are_on_the_disk_before_the_write_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, list[str]]] = []

    def sync(descriptor: int) -> None:
        kind = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        synced.append((kind, [path.name for path in tmp_path.glob("a")]))

    monkeypatch.setattr(os, "fsync", sync)
    write_whole(tmp_path / "a", b"whole")
    assert synced == [(False, []), (True, ["a"])], "the file before its name, then the folder"


def test_the_old_file_stays_where_the_new_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def crash(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_disk_that_takes_nothing_is_storage_full(subtests: pytest.Subtests) -> None:
    cases = [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "not_writable"),
        (errno.EACCES, "not_writable"),
        (errno.ENOTDIR, "not_writable"),
        (errno.ELOOP, "not_writable"),
        (errno.ENXIO, "not_writable"),
    ]
    for number, reason in cases:
        with subtests.test(number=number):
            with pytest.raises(StorageFull) as full, storage_errors():
                raise OSError(number, "refused")
            assert full.value.reason == reason


def test_other_troubles_of_a_disk_are_not_hidden() -> None:
    with pytest.raises(OSError, match="broken"), storage_errors():
        raise OSError(errno.EIO, "broken")


def test_a_lock_that_is_held_is_busy_and_not_waited_for(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(Busy) as busy, locked(tmp_path, 0.05):
        pass
    assert busy.value.reason == "storage_busy"
    with locked(tmp_path, 0.05):
        pass


def test_what_a_lock_makes_is_its_owners_alone(tmp_path: Path) -> None:
    with locked(tmp_path / "deep" / "folder"):
        assert mode(tmp_path / "deep/folder/.lock") == 0o600
    assert mode(tmp_path / "deep") == mode(tmp_path / "deep/folder") == 0o700


def test_what_an_older_release_left_open_is_closed(tmp_path: Path) -> None:
    left_by_an_older_release(tmp_path)
    keep_private(tmp_path)
    for path in (tmp_path, *tmp_path.rglob("*")):
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path


def test_a_directory_that_others_use_too_stays_open_and_ours_in_it_are_closed(
    tmp_path: Path,
) -> None:
    left_by_an_older_release(tmp_path)
    (tmp_path / "theirs.txt").write_text("not ours")
    (tmp_path / "theirs.txt").chmod(0o644)
    (tmp_path / "questions.sqlite.broken").symlink_to(tmp_path / "theirs.txt")
    keep_private(tmp_path)
    assert (mode(tmp_path), mode(tmp_path / "theirs.txt")) == (0o755, 0o644)
    assert (mode(tmp_path / "models"), mode(tmp_path / "questions.sqlite")) == (0o700, 0o600)


def test_a_folder_that_is_everybodys_stays_so(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    keep_private(tmp_path / "tmp")
    keep_private(tmp_path / "missing")
    assert mode(tmp_path / "tmp") == 0o1777


def test_a_lock_makes_its_folder(tmp_path: Path) -> None:
    with locked(tmp_path / "deep" / "folder"):
        assert (tmp_path / "deep/folder/.lock").exists()
    assert stat.S_IMODE((tmp_path / "deep/folder").stat().st_mode) == 0o700


def test_a_folder_says_whether_it_can_be_written_and_keeps_nothing(tmp_path: Path) -> None:
    assert writable(tmp_path / "deep" / "folder")
    assert list((tmp_path / "deep/folder").iterdir()) == []
    (tmp_path / "file").write_text("no folder")
    assert not writable(tmp_path / "file")
    assert not writable(tmp_path / "file" / "folder")


def test_a_folder_that_comes_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as new:
        write_new(new / "a", b"one")
        assert not (tmp_path / "entry").exists()
        move_into_place(new, tmp_path / "entry")
    with temporary_folder(tmp_path) as new:
        write_new(new / "a", b"two")
        move_into_place(new, tmp_path / "entry")
    with temporary_folder(tmp_path) as new:
        write_new(new / "a", b"three, which is not placed")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "entry"]
    assert (tmp_path / "entry/a").read_bytes() == b"two"
    assert (mode(tmp_path / "entry"), mode(tmp_path / "entry/a")) == (0o700, 0o600)
    remove_atomically(tmp_path / "entry")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    with pytest.raises(FileNotFoundError):
        remove_atomically(tmp_path / "entry")


def test_leftovers_are_cleared_and_what_is_being_written_is_none(tmp_path: Path) -> None:
    (tmp_path / f"{NEW}file").write_bytes(b"half")
    (tmp_path / f"{TEMPORARY}folder").mkdir()
    (tmp_path / f"{TEMPORARY}folder/a").write_bytes(b"half")
    with temporary_folder(tmp_path) as new:
        with locked(tmp_path):
            clear_leftovers(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {".lock", new.name}


def test_leftovers_that_are_no_files_hinder_nothing(tmp_path: Path) -> None:
    (tmp_path / f"{NEW}circle").symlink_to(f"{NEW}circle")
    os.mkfifo(tmp_path / f"{TEMPORARY}pipe")
    (tmp_path / f"{TEMPORARY}z").write_bytes(b"half")
    clear_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{NEW}circle"]
