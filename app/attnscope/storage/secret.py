from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from attnscope.storage.disk import locked, storage_errors, write_whole

SECRET_BYTES = 32


def shared_secret(path: Path) -> bytes:
    """Secret of all workers, kept over restarts. Raises StorageFull, Busy."""
    with storage_errors():
        secret = read_secret(path)
        if secret is None:
            with locked(path.parent):
                secret = read_secret(path)  # another process may have created it
                if secret is None:
                    secret = secrets.token_bytes(SECRET_BYTES)
                    write_whole(path, secret)
    return secret


def read_secret(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        if len(secret := path.read_bytes()) == SECRET_BYTES:
            return secret
    return None
