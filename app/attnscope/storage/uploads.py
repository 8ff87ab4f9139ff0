"""Uploads on disk, as they were sent.

A folder `<name>/` has the files and a manifest; version 0.1.0 wrote `<name>.safetensors`.
"""

from __future__ import annotations

import hmac
import json
import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from attnscope.errors import Busy, StorageFull
from attnscope.storage import manifest
from attnscope.storage.disk import (
    clear_leftovers,
    locked,
    move_into_place,
    remove_atomically,
    storage_errors,
    sync,
    temporary_folder,
    writable,
    write_new,
    write_whole,
)
from attnscope.storage.expiry_clock import ClockState, UptimeClock
from attnscope.storage.manifest import Manifest, Part, ReceivedUpload, digest
from attnscope.storage.secret import shared_secret

NAME = re.compile(r"[0-9a-f]{1,64}")
OLD = ".safetensors"
LOCK_SECONDS = 5.0
ENTRY_BYTES = 2**16  # of manifest and folder


class Size(NamedTuple):
    disk: int
    memory: int
    client: str


class UploadStore:
    """`client_share` is the part of `quota_bytes` that one client may use."""

    def __init__(
        self, folder: Path, quota_bytes: int, expiry_seconds: float, client_share: float = 1.0, *,
        patience: float = LOCK_SECONDS,
    ) -> None:  # fmt: skip
        self.folder = folder
        self._patience = patience
        self.quota_bytes = quota_bytes
        self.share_bytes = int(quota_bytes * client_share)
        self.expiry_seconds = expiry_seconds
        self._lived = UptimeClock(expiry_seconds)
        self._sizes: dict[str, Size] = {}  # cache, as uploads never change

    def name_for(self, data: bytes) -> str:
        """32 hex digits, unguessable without the secret. Raises StorageFull, Busy."""
        return hmac.digest(shared_secret(self.folder / ".secret"), data, "sha256").hex()[:32]

    def put(self, sent: ReceivedUpload, client: str = "") -> str:
        """Return the name, which is equal for equal files and fields. Raises StorageFull, Busy."""
        new_manifest = Manifest.of(sent, client)
        name = self.name_for(new_manifest.identity)
        at = self.folder / name
        with storage_errors():
            was_there = at.exists()
            if was_there and self._renew(name, new_manifest):
                return name

            def check() -> None:
                clear_leftovers(self.folder)
                self._look()
                self._check_room(name, new_manifest)

            with temporary_folder(self.folder, patience=self._patience, check=check) as new:
                for part, (_, _, data) in zip(new_manifest.files, sent.parts, strict=True):
                    write_new(new / part.file, data)
                write_new(new / manifest.NAME, new_manifest.to_bytes())
                os.utime(new / manifest.NAME, (self._lived.now,) * 2)
                sync(new)
                with locked(self.folder, self._patience):
                    self._check_room(name, new_manifest)  # others may have been stored meanwhile
                    if was_there or not at.exists():
                        move_into_place(new, at)
                sync(self.folder)  # makes the rename durable
        return name

    def exists(self, name: str) -> bool:
        """Whether the upload exists; renews an old last use. Raises StorageFull."""
        at = self._stamp(name)
        if at is None:
            return False
        if self._lived.due:
            with suppress(Busy, OSError), locked(self.folder, 0.0):
                self._look()
        try:
            with storage_errors():
                age = self._lived.now - at.stat().st_mtime
        except FileNotFoundError:
            return False
        if age > self._lived.every:
            with suppress(OSError):  # read-only disk
                os.utime(at, (self._now(at),) * 2)
        return True

    def size(self, name: str) -> int:
        """Bytes of memory that reading an upload takes; 0 if missing."""
        size = self._size(name) if NAME.fullmatch(name) else None
        return 0 if size is None else size.disk + size.memory

    def is_capture(self, name: str) -> bool:
        if not NAME.fullmatch(name):
            return False
        with suppress(FileNotFoundError, ValidationError), storage_errors():
            return self._manifest(name).is_capture
        return False

    def get(self, name: str) -> ReceivedUpload | bytes | None:
        """The upload; bytes if version 0.1.0 stored it, None if missing or corrupt."""
        if not self.exists(name):
            return None
        with suppress(FileNotFoundError, ValidationError), storage_errors():
            if (old := self.folder / f"{name}{OLD}").exists():
                data = old.read_bytes()
                return data if self.name_for(data) == name else None
            found = self._manifest(name)
            files = [_read_if_intact(self.folder / name / part.file, part) for part in found.files]
            if None not in files and self.name_for(found.identity) == name:
                return found.with_files([data for data in files if data is not None])
        return None

    def delete(self, name: str) -> bool:
        """Return False if there is none. Raises StorageFull."""
        at = self._stamp(name)
        if at is not None:
            with suppress(FileNotFoundError), storage_errors():
                remove_atomically(at if at.suffix == OLD else at.parent)
                return True
        return False

    def count(self) -> int:
        with suppress(FileNotFoundError), storage_errors():
            return sum(1 for _ in self._entries())
        return 0

    def writable(self) -> bool:
        return writable(self.folder)

    def _renew(self, name: str, new_manifest: Manifest) -> bool:
        """Mark an equal upload as used. Return False if it is missing or damaged."""
        with suppress(FileNotFoundError, ValidationError):
            if self.exists(name) and self._manifest(name).identity == new_manifest.identity:
                at = self.folder / name
                for part in new_manifest.files:
                    with (at / part.file).open("rb") as file:
                        if file_digest(file, "sha256").hexdigest() != part.sha256:
                            return False
                os.utime(at / manifest.NAME, (self._lived.now,) * 2)
                return True
        return False

    def _stamp(self, name: str) -> Path | None:
        """The file whose mtime is the last use, by the clock of expiry_clock.py."""
        if not NAME.fullmatch(name):
            return None
        old = self.folder / f"{name}{OLD}"
        return old if old.exists() else self.folder / name / manifest.NAME

    def _now(self, stamp: Path) -> float:
        """At least the wall clock's time for files of version 0.1.0, which have such stamps."""
        return max(self._lived.now, time.time()) if stamp.suffix == OLD else self._lived.now

    def _entries(self) -> Iterator[str]:
        with os.scandir(self.folder) as found:
            for entry in found:
                name = entry.name.removesuffix(OLD)
                with suppress(OSError):  # circular link
                    if NAME.fullmatch(name) and entry.is_dir() == (name == entry.name):
                        yield name

    def _manifest(self, name: str) -> Manifest:
        return Manifest.model_validate_json((self.folder / name / manifest.NAME).read_bytes())

    def _size(self, name: str) -> Size | None:
        if name not in self._sizes:
            with suppress(FileNotFoundError), storage_errors():
                old, at = self.folder / f"{name}{OLD}", self.folder / name
                if old.exists():
                    data = old.stat().st_size
                    self._sizes[name] = Size(data + ENTRY_BYTES, data, "")
                    return self._sizes[name]
                try:
                    self._sizes[name] = _size_of(self._manifest(name))
                except FileNotFoundError:
                    return None
                except (OSError, ValidationError):  # another user's, or damaged
                    return Size(_bytes_in(at), 0, "")
        return self._sizes.get(name)

    def _look(self) -> None:
        """Advance the clock; except at the first call, delete expired uploads."""
        if not self._lived.due:
            return
        at = self.folder / ".lived"
        first, last = not self._lived.begun, _read_clock(at)
        clock = self._lived.advance(last)
        for name in self._entries():
            if (stamp := self._stamp(name)) is None:
                continue
            with suppress(OSError, StorageFull):  # another user's entry stays
                if last is None:  # written by an older release
                    os.utime(stamp, (self._now(stamp),) * 2)
                elif not first and clock.lived - stamp.stat().st_mtime > self.expiry_seconds:
                    self.delete(name)
        write_whole(at, json.dumps(clock).encode())

    def _check_room(self, name: str, new_manifest: Manifest) -> None:
        """Raises StorageFull above the quota, or the share if the client has other uploads."""
        sizes = {one: size for one in self._entries() if (size := self._size(one))}
        others = [size for one, size in sizes.items() if one != name]
        self._sizes = sizes
        needed = _size_of(new_manifest).disk
        taken = sum(size.disk for size in others)
        own = sum(
            size.disk
            for size in others
            if new_manifest.client and size.client == new_manifest.client
        )
        if taken + needed > self.quota_bytes:
            raise StorageFull("quota", needed=needed, taken=taken, limit=self.quota_bytes)
        if own and own + needed > self.share_bytes:
            raise StorageFull("share", needed=needed, taken=own, limit=self.share_bytes)


def _size_of(new_manifest: Manifest) -> Size:
    data = (
        sum(part.bytes for part in new_manifest.files)
        + len(new_manifest.mapping or "")
        + sum(map(len, new_manifest.accept))
    )
    return Size(data + ENTRY_BYTES, new_manifest.memory, new_manifest.client)


def _bytes_in(folder: Path) -> int:
    with suppress(OSError):
        return sum(file.stat().st_size for file in folder.iterdir())
    return 0


def _read_if_intact(path: Path, part: Part) -> bytes | None:
    data = path.read_bytes()
    return data if len(data) == part.bytes and digest(data) == part.sha256 else None


def _read_clock(at: Path) -> ClockState | None:
    with suppress(FileNotFoundError, ValueError, TypeError):
        clock = ClockState(*map(float, json.loads(at.read_bytes())))
        return clock if all(map(math.isfinite, clock)) else None
    return None
