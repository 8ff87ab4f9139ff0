"""A session is a token that nobody can forge, that ends in time, and that tells no key."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from attnscope.errors import StorageFull
from attnscope.settings import Settings
from attnscope.web.http.authentication import ApiKeys, Sessions


def sessions(folder: Path, *keys: str, hours: float = 12) -> Sessions:
    return Sessions(ApiKeys(Settings(api_keys=list(keys))), folder / ".sessions", hours)


def token(made: Sessions, key: int = 0) -> str:
    return made.token(made.keys.names[key])


def test_a_token_is_known_in_every_worker_and_after_a_restart(tmp_path: Path) -> None:
    one = sessions(tmp_path, "key")
    given = token(one)
    assert one.id_of(given) == sessions(tmp_path, "other", "key").id_of(given)
    assert one.id_of(given) is not None
    assert one.id_of(given) != one.id_of(token(one))


def test_a_token_reveals_no_key_and_the_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = sessions(tmp_path, "swordfish")
    given = token(made)
    assert "swordfish" not in given
    assert not any(name[at : at + 8] in given for name in made.keys.names for at in range(56))
    assert stat.S_IMODE((tmp_path / ".sessions").stat().st_mode) == 0o600


def test_a_session_ends_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    made = sessions(tmp_path, "key", hours=0.5)
    given = token(made)
    now += 1799
    assert made.id_of(given) is not None
    now += 1
    assert made.id_of(given) is None


def test_taking_a_key_away_ends_its_sessions_and_no_others(tmp_path: Path) -> None:
    both = sessions(tmp_path, "one", "two")
    first, second = token(both, 0), token(both, 1)
    left = sessions(tmp_path, "two")
    assert left.id_of(first) is None
    assert left.id_of(second) is not None


def test_another_secret_ends_them_all(tmp_path: Path) -> None:
    given = token(sessions(tmp_path, "key"))
    (tmp_path / ".sessions").unlink()
    made = sessions(tmp_path, "key")
    assert made.id_of(given) is None
    assert token(made)
    assert made.id_of(given) is None


def test_nothing_else_is_a_token(tmp_path: Path) -> None:
    made = sessions(tmp_path, "key")
    given = token(made)
    session, began, signature = given.split(".")
    other = token(made).split(".")
    forged = [
        "", ".", "..", "...", "a.b.c", "a.b.c.d", given[:-2], given + "0", given.upper(),
        f" {given}", f"{given}.", f"{session}.{began}A.{signature}", f"{session}.zzz.{signature}",
        f"{'0' * 16}.{began}.{signature}", f"{session}.{began}.{other[2]}",
        f"{other[0]}.{other[1]}.{signature}", f"{session}.{began}.", f"{session}.{signature}",
        f"{session}.{signature}.{signature}", f"{session}.{'/' * 90}.{signature}",
        "é" * 90, "a" * 100_000, "." * 10_000,
    ]  # fmt: skip
    assert [one for one in forged if made.id_of(one) is not None] == []


def test_a_folder_that_cannot_be_written_gives_no_session(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    made = sessions(blocked, "key")
    assert made.id_of("a.b.c") is None
    with pytest.raises(StorageFull):
        token(made)


def test_a_damaged_secret_signs_nothing(tmp_path: Path) -> None:
    (tmp_path / ".sessions").write_bytes(os.urandom(5))
    made = sessions(tmp_path, "key")
    assert made.id_of("a.b.c") is None
    assert made.id_of(token(made)) is not None
    assert (tmp_path / ".sessions").stat().st_size == 32
