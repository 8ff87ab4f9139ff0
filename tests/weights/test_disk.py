"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from app.errors import StorageFull
from app.weights.disk import locked, storage_errors, writable, write_whole


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


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "not_writable"),
        (errno.EACCES, "not_writable"),
        (errno.ENOTDIR, "not_writable"),
    ],
)
def test_a_disk_that_takes_nothing_is_storage_full(number: int, reason: str) -> None:
    with pytest.raises(StorageFull) as full, storage_errors():
        raise OSError(number, "refused")
    assert full.value.reason == reason


def test_other_troubles_of_a_disk_are_not_hidden() -> None:
    with pytest.raises(OSError, match="broken"), storage_errors():
        raise OSError(errno.EIO, "broken")


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
