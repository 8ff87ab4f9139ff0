"""Files by name, on disk: atomic, bounded, forgetful. Several processes may use one folder."""

from __future__ import annotations

import hmac
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from app.weights.disk import locked, new_file, place, storage_errors
from app.weights.quota import Quota

NAME = re.compile(r"[0-9a-f]{1,64}")
HOUR = 3600.0
SECRET_BYTES = 32


class Store:
    """Entries are named by lower-case hex; any other name is not found.

    An entry unused for `expiry_seconds` is as good as gone. Where `quota_bytes` are taken, the
    oldest entries go (`evict_oldest`) or nothing comes in.
    """

    def __init__(
        self, folder: Path, quota_bytes: int, expiry_seconds: float, suffix: str, evict_oldest: bool
    ) -> None:
        self.folder = folder
        self.suffix = suffix
        self.expiry_seconds = expiry_seconds
        self._quota = Quota(folder, quota_bytes, expiry_seconds, suffix, evict_oldest)

    def name_for(self, data: bytes) -> str:
        """32 hex digits of the content, unguessable without the folder's secret."""
        return hmac.digest(self._secret(), data, "sha256").hex()[:32]

    def put(self, name: str, data: bytes, *, durable: bool = True) -> Path:
        """Keeps data, whose content names it. Raises StorageFull.

        Not durable: a power cut may leave the entry torn, and its reader must be able to tell.
        """
        at = self._path(name)
        if at is None:
            raise ValueError(f"{name!r} is no lower-case hex")
        with storage_errors():
            if not _renew(at, data, durable):
                with locked(self.folder):
                    self._quota.take(len(data))
                    # Of full length from the start, so that another process counts it.
                    new = new_file(self.folder, len(data))
                place(new, data, at, durable=durable)
        return at

    def get(self, name: str) -> bytes | None:
        """The entry, or None where there is none or it has expired; reading keeps it young."""
        at = self._path(name)
        if at is None:
            return None
        try:
            with at.open("rb") as file:
                age = time.time() - os.fstat(file.fileno()).st_mtime
                if age > self.expiry_seconds:
                    return None
                if age > min(HOUR, self.expiry_seconds / 10):
                    with suppress(OSError):  # what cannot be written can still be read
                        os.utime(at)
                return file.read()
        except FileNotFoundError:
            return None

    def delete(self, name: str) -> bool:
        """Whether there was such an entry. Raises StorageFull where nothing may be deleted."""
        at = self._path(name)
        if at is None:
            return False
        try:
            with storage_errors():
                at.unlink()
        except FileNotFoundError:
            return False
        return True

    def writable(self) -> bool:
        """Whether a file can be written into the folder now."""
        try:
            with locked(self.folder):
                new_file(self.folder, 1).unlink()
        except OSError:
            return False
        return True

    def _path(self, name: str) -> Path | None:
        return self.folder / f"{name}{self.suffix}" if NAME.fullmatch(name) else None

    def _secret(self) -> bytes:
        path = self.folder / ".secret"
        if (secret := _read_secret(path)) is not None:
            return secret
        with storage_errors(), locked(self.folder):
            secret = _read_secret(path)
            if secret is None:
                secret = secrets.token_bytes(SECRET_BYTES)
                place(new_file(self.folder, SECRET_BYTES), secret, path, durable=True)
        return secret


def _renew(at: Path, data: bytes, durable: bool) -> bool:
    """Makes an entry young again; False where it is missing or torn."""
    try:
        if (at.stat().st_size != len(data)) if durable else (at.read_bytes() != data):
            return False
        os.utime(at)
    except FileNotFoundError:
        return False
    return True


def _read_secret(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        if len(secret := path.read_bytes()) == SECRET_BYTES:
            return secret
    return None
