"""LRU caches: values in memory, and statistics of large maps on disk, shared by workers."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

from attnscope.errors import Busy
from attnscope.storage.disk import PRIVATE_FILE, clear_leftovers, locked, make_folder, write_whole

V = TypeVar("V")


class Cache:
    """LRU cache by class and key. `capacity` is in bytes."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.used = 0
        self.evicted = 0
        self._values: OrderedDict[tuple[type, str], tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, kind: type[V], key: str) -> V | None:
        with self._lock:
            found = self._values.get((kind, key))
            if found is None:
                return None
            self._values.move_to_end((kind, key))
            return cast(V, found[0])

    def put(self, key: str, value: object, size: int, kind: type | None = None) -> None:
        """Skip known keys and values above the capacity. `kind`: class to pass to `get`."""
        at = (kind or type(value), key)
        with self._lock:
            if size > self.capacity or at in self._values:
                return
            self._values[at] = value, size
            self.used += size
            while self.used > self.capacity:
                _, (_, oldest) = self._values.popitem(last=False)
                self.used -= oldest
                self.evicted += 1

    def drop(self, kind: type, key: str) -> None:
        with self._lock:
            _, size = self._values.pop((kind, key), (None, 0))
            self.used -= size


ENDING = ".map"
DIGEST = 16  # bytes of the checksum before each entry
CLAIMS = 1 << 31  # byte offsets in the lock file; each claim locks one


class MapStore:
    def __init__(self, folder: Path, quota_bytes: int) -> None:
        self.folder = folder
        self.quota_bytes = quota_bytes
        self._claims: int | None = None

    def get(self, name: str) -> bytes | None:
        """Return an entry, and mark it as used."""
        path = self._path(name)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, data = content[:DIGEST], content[DIGEST:]
        if digest != _digest(name, data):
            return None  # corrupt or renamed
        with suppress(OSError):
            os.utime(path)
        return data

    def put(self, name: str, data: bytes) -> None:
        if len(data) > self.quota_bytes:
            return
        with suppress(OSError, Busy):
            with locked(self.folder):
                clear_leftovers(self.folder)
                self._make_room(len(data))
            # not synced, as a lost entry can be recomputed
            write_whole(self._path(name), _digest(name, data) + data, durable=False)

    @contextmanager
    def claim(self, name: str) -> Iterator[bool]:
        """Yield whether this process may compute the entry; True if the lock file is unusable."""
        place = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % CLAIMS
        try:
            file = self._claims_file()
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            yield False
            return
        except OSError:
            yield True
            return
        try:
            yield True
        finally:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    def _claims_file(self) -> int:
        """The lock file; it stays open, as closing it would release all claims."""
        if self._claims is None:
            make_folder(self.folder)
            self._claims = os.open(self.folder / ".claims", os.O_CREAT | os.O_RDWR, PRIVATE_FILE)
        return self._claims

    def _make_room(self, size: int) -> None:
        entries = []
        for path in self.folder.glob(f"*{ENDING}"):
            with suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        used = size + sum(one[1] for one in entries)
        for _, freed, path in sorted(entries):
            if used <= self.quota_bytes:
                break
            path.unlink(missing_ok=True)
            used -= freed

    def _path(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:40]}{ENDING}"


def _digest(name: str, data: bytes) -> bytes:
    person = hashlib.sha256(name.encode()).digest()[: hashlib.blake2b.PERSON_SIZE]
    return hashlib.blake2b(data, digest_size=DIGEST, person=person).digest()
