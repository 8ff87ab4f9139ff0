"""Uploads on disk, by name: durable, bounded, forgotten in time, shared by several processes."""

from __future__ import annotations

import hmac
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from app.errors import StorageFull
from app.weights.disk import NEW, locked, storage_errors, writable, write_whole

NAME = re.compile(r"[0-9a-f]{1,64}")
SUFFIX = ".safetensors"
HOUR = 3600.0
SECRET_BYTES = 32


class Store:
    """Entries are named by lower-case hex; any other name is not found.

    An entry unused for `expiry_seconds` is as good as gone. Where `quota_bytes` are taken,
    nothing comes in. Whoever writes holds the folder's lock.
    """

    def __init__(self, folder: Path, quota_bytes: int, expiry_seconds: float) -> None:
        self.folder = folder
        self.quota_bytes = quota_bytes
        self.expiry_seconds = expiry_seconds

    def name_for(self, data: bytes) -> str:
        """32 hex digits of the content, unguessable without the folder's secret.

        Raises StorageFull where the secret cannot be kept.
        """
        return hmac.digest(self._secret(), data, "sha256").hex()[:32]

    def put(self, name: str, data: bytes) -> None:
        """Keeps data, whose content names it. Raises StorageFull."""
        at = self._path(name)
        if at is None:
            raise ValueError(f"{name!r} is no lower-case hex")
        with storage_errors(), locked(self.folder):
            if not _renew(at, data):
                self._make_room(at, len(data))
                write_whole(at, data)

    def exists(self, name: str) -> bool:
        """Whether there is such an entry, not expired; asking keeps it young, as reading does."""
        at = self._path(name)
        if at is None:
            return False
        try:
            with storage_errors():
                age = time.time() - at.stat().st_mtime
        except FileNotFoundError:
            return False
        if age > self.expiry_seconds:
            return False
        if age > min(HOUR, self.expiry_seconds / 10):
            with suppress(OSError):  # what cannot be written can still be read
                os.utime(at)
        return True

    def get(self, name: str) -> bytes | None:
        """The entry, or None where there is none or it has expired."""
        at = self._path(name)
        if at is not None and self.exists(name):
            with suppress(FileNotFoundError), storage_errors():
                return at.read_bytes()
        return None

    def delete(self, name: str) -> bool:
        """Whether there was such an entry. Raises StorageFull where nothing may be deleted."""
        at = self._path(name)
        if at is not None:
            with suppress(FileNotFoundError), storage_errors():
                at.unlink()
                return True
        return False

    def writable(self) -> bool:
        """Whether the disk takes a file now."""
        return writable(self.folder)

    def _path(self, name: str) -> Path | None:
        return self.folder / f"{name}{SUFFIX}" if NAME.fullmatch(name) else None

    def _make_room(self, at: Path, size: int) -> None:
        """What has expired goes, and what a crash left half written: nobody else writes now.

        Raises StorageFull where `size` more bytes pass the quota.
        """
        now, taken = time.time(), 0
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):  # deleting takes no lock
                status = path.stat()
                expired = path.suffix == SUFFIX and now - status.st_mtime > self.expiry_seconds
                if expired or path.name.startswith(NEW):
                    path.unlink()
                elif path.suffix == SUFFIX and path != at:
                    taken += status.st_size
        if taken + size > self.quota_bytes:
            raise StorageFull("quota", needed=size, taken=taken, limit=self.quota_bytes)

    def _secret(self) -> bytes:
        path = self.folder / ".secret"
        with storage_errors():
            secret = _read_secret(path)
            if secret is None:
                with locked(self.folder):
                    secret = _read_secret(path)  # another process may have been quicker
                    if secret is None:
                        secret = secrets.token_bytes(SECRET_BYTES)
                        write_whole(path, secret)
        return secret


def _renew(at: Path, data: bytes) -> bool:
    """Makes an entry young again; False where it is missing or damaged."""
    with suppress(FileNotFoundError):
        if at.stat().st_size == len(data) and at.read_bytes() == data:
            os.utime(at)
            return True
    return False


def _read_secret(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        if len(secret := path.read_bytes()) == SECRET_BYTES:
            return secret
    return None
