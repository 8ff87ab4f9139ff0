"""Uploads on disk, by name: as they were sent, durable, bounded, shared by several processes.

`<name>/` holds the files and their manifest. `<name>.safetensors` is what 0.1.0 made of an upload.
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
    coming,
    locked,
    place,
    storage_errors,
    sync_folder,
    take_away,
    writable,
    write_new,
    write_whole,
)
from attnscope.storage.expiry_clock import LivedTime, Look
from attnscope.storage.manifest import Manifest, Part, Sent, digest
from attnscope.storage.secret import kept_secret

NAME = re.compile(r"[0-9a-f]{1,64}")
OLD = ".safetensors"
A_WRITE = 5.0  # seconds that others may have the lock, on a disk with much to write
ENTRY_BYTES = 2**16  # what an entry takes beside its files: manifest, folder, time to count it


class Size(NamedTuple):
    """What an entry takes on the disk, what its arrays take in memory, and who sent it."""

    disk: int
    memory: int
    client: str


class UploadStore:
    """Entries are named by lower-case hex; any other name is not found.

    What was unused for `expiry_seconds` of lived time goes. Where `quota_bytes` are taken nothing
    comes in, nor from a client who has taken `client_share` of them.
    """

    def __init__(
        self, folder: Path, quota_bytes: int, expiry_seconds: float, client_share: float = 1.0
    ) -> None:
        self.folder = folder
        self.quota_bytes = quota_bytes
        self.share_bytes = int(quota_bytes * client_share)
        self.expiry_seconds = expiry_seconds
        self._lived = LivedTime(expiry_seconds)
        self._sizes: dict[str, Size] = {}  # what an entry is never changes

    def name_for(self, data: bytes) -> str:
        """32 hex digits of the content, unguessable without the folder's secret.

        Raises StorageFull where the secret cannot be kept.
        """
        return hmac.digest(kept_secret(self.folder / ".secret"), data, "sha256").hex()[:32]

    def put(self, sent: Sent, client: str = "") -> str:
        """Keeps an upload as it was sent; its name is that of the same files with the same words.

        Raises StorageFull, and Busy.
        """
        made = Manifest.of(sent, client)
        name = self.name_for(made.identity)
        at = self.folder / name
        with storage_errors():
            was_there = at.exists()
            if was_there and self._renew(name, made):
                return name

            def check() -> None:
                clear_leftovers(self.folder)
                self._look()
                self._check_room(name, made)

            with coming(self.folder, patience=A_WRITE, check=check) as new:
                for part, (_, _, data) in zip(made.files, sent.parts, strict=True):
                    write_new(new / part.file, data)
                write_new(new / manifest.NAME, made.to_bytes())
                os.utime(new / manifest.NAME, (self._lived.now,) * 2)
                sync_folder(new)
                with locked(self.folder, A_WRITE):
                    self._check_room(name, made)  # others came in while this was being written
                    if was_there or not at.exists():
                        place(new, at)
                sync_folder(self.folder)  # a rename outlives a power cut once its folder is written
        return name

    def exists(self, name: str) -> bool:
        """Whether there is such an entry; asking keeps it young, as reading does."""
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
            with suppress(OSError):  # what cannot be written can still be read
                os.utime(at, (self._now(at),) * 2)
        return True

    def size(self, name: str) -> int:
        """Bytes that reading an entry and its arrays take; 0 where there is none."""
        size = self._size(name) if NAME.fullmatch(name) else None
        return 0 if size is None else size.disk + size.memory

    def is_capture(self, name: str) -> bool:
        """Whether an entry is a capture; no file of it is read but its manifest."""
        if not NAME.fullmatch(name):
            return False
        with suppress(FileNotFoundError, ValidationError), storage_errors():
            return self._manifest(name).is_capture
        return False

    def get(self, name: str) -> Sent | bytes | None:
        """An upload as it was sent, or the file that 0.1.0 made of one; None where there is none,
        and where it is not what was kept under its name."""
        if not self.exists(name):
            return None
        with suppress(FileNotFoundError, ValidationError), storage_errors():
            if (old := self.folder / f"{name}{OLD}").exists():
                data = old.read_bytes()
                return data if self.name_for(data) == name else None
            found = self._manifest(name)
            files = [_checked(self.folder / name / part.file, part) for part in found.files]
            if None not in files and self.name_for(found.identity) == name:
                return found.with_files([data for data in files if data is not None])
        return None

    def delete(self, name: str) -> bool:
        """Whether there was such an entry. Raises StorageFull where nothing may be deleted."""
        at = self._stamp(name)
        if at is not None:
            with suppress(FileNotFoundError), storage_errors():
                take_away(at if at.suffix == OLD else at.parent)
                return True
        return False

    def count(self) -> int:
        """How many entries there are. Raises StorageFull where the folder cannot be read."""
        with suppress(FileNotFoundError), storage_errors():
            return sum(1 for _ in self._entries())
        return 0

    def writable(self) -> bool:
        """Whether the disk takes a file now."""
        return writable(self.folder)

    def _renew(self, name: str, made: Manifest) -> bool:
        """Makes an entry young again; False where it is missing or damaged."""
        with suppress(FileNotFoundError, ValidationError):
            if self.exists(name) and self._manifest(name).identity == made.identity:
                at = self.folder / name
                for part in made.files:
                    with (at / part.file).open("rb") as file:  # never a second copy in memory
                        if file_digest(file, "sha256").hexdigest() != part.sha256:
                            return False
                os.utime(at / manifest.NAME, (self._lived.now,) * 2)
                return True
        return False

    def _stamp(self, name: str) -> Path | None:
        """The file whose time of change is the lived time of the entry's last use."""
        if not NAME.fullmatch(name):
            return None
        old = self.folder / f"{name}{OLD}"
        return old if old.exists() else self.folder / name / manifest.NAME

    def _now(self, stamp: Path) -> float:
        """Lived time; for a file of 0.1.0, which reads it by the wall clock, not behind that."""
        return max(self._lived.now, time.time()) if stamp.suffix == OLD else self._lived.now

    def _entries(self) -> Iterator[str]:
        with os.scandir(self.folder) as found:
            for entry in found:
                name = entry.name.removesuffix(OLD)
                if NAME.fullmatch(name) and entry.is_dir() == (name == entry.name):
                    yield name

    def _manifest(self, name: str) -> Manifest:
        return Manifest.model_validate_json((self.folder / name / manifest.NAME).read_bytes())

    def _size(self, name: str) -> Size | None:
        """A damaged entry takes what it takes, from nobody's share."""
        if name not in self._sizes:
            with suppress(FileNotFoundError), storage_errors():
                old, at = self.folder / f"{name}{OLD}", self.folder / name
                if old.exists():
                    data = old.stat().st_size
                    self._sizes[name] = Size(data + ENTRY_BYTES, data, "")
                    return self._sizes[name]
                try:
                    self._sizes[name] = _size_of(self._manifest(name))
                except ValidationError:
                    return Size(sum(file.stat().st_size for file in at.iterdir()), 0, "")
        return self._sizes.get(name)

    def _look(self) -> None:
        """Goes on with the time, and takes away what nobody used for so long; never at the first
        look of a process. In the folder's lock."""
        if not self._lived.due:
            return
        at = self.folder / ".lived"
        first, last = not self._lived.begun, _read_look(at)
        look = self._lived.look(last)
        for name in self._entries():
            if (stamp := self._stamp(name)) is None:
                continue
            with suppress(FileNotFoundError):
                if last is None:  # of an older release: its days begin anew
                    os.utime(stamp, (self._now(stamp),) * 2)
                elif not first and look.lived - stamp.stat().st_mtime > self.expiry_seconds:
                    self.delete(name)
        write_whole(at, json.dumps(look).encode())

    def _check_room(self, name: str, made: Manifest) -> None:
        """Raises StorageFull where a new entry passes the quota, or the share of its client, who
        may have one in any case."""
        sizes = {one: size for one in self._entries() if (size := self._size(one))}
        others = [size for one, size in sizes.items() if one != name]
        self._sizes = sizes  # what is gone is forgotten
        needed = _size_of(made).disk
        taken = sum(size.disk for size in others)
        own = sum(size.disk for size in others if made.client and size.client == made.client)
        if taken + needed > self.quota_bytes:
            raise StorageFull("quota", needed=needed, taken=taken, limit=self.quota_bytes)
        if own and own + needed > self.share_bytes:
            raise StorageFull("share", needed=needed, taken=own, limit=self.share_bytes)


def _size_of(made: Manifest) -> Size:
    data = (
        sum(part.bytes for part in made.files)
        + len(made.mapping or "")
        + sum(map(len, made.accept))
    )
    return Size(data + ENTRY_BYTES, made.memory, made.client)


def _checked(path: Path, part: Part) -> bytes | None:
    """The file, where it is what its manifest says."""
    data = path.read_bytes()
    return data if len(data) == part.bytes and digest(data) == part.sha256 else None


def _read_look(at: Path) -> Look | None:
    with suppress(FileNotFoundError, ValueError, TypeError):
        look = Look(*map(float, json.loads(at.read_bytes())))
        return look if all(map(math.isfinite, look)) else None
    return None
