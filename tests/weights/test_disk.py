"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.weights.disk import locked, new_file, place


def test_a_new_file_has_its_length_before_its_content(tmp_path: Path) -> None:
    new = new_file(tmp_path, 5)
    assert new.stat().st_size == 5
    place(new, b"whole", tmp_path / "a", durable=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"


def test_the_old_file_stays_where_the_new_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def crash(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        place(new_file(tmp_path, 3), b"new", tmp_path / "a", durable=True)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_lock_makes_its_folder(tmp_path: Path) -> None:
    with locked(tmp_path / "deep" / "folder"):
        assert (tmp_path / "deep/folder/.lock").exists()
