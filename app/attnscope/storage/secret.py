"""Random bytes that are drawn once and kept beside the data they protect."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from attnscope.storage.disk import locked, storage_errors, write_whole

SECRET_BYTES = 32


def kept_secret(path: Path) -> bytes:
    """The secret of a file that its owner alone reads, drawn where there is none yet: the same in
    every worker and after a restart.

    Raises StorageFull where it cannot be kept.
    """
    with storage_errors():
        secret = read_secret(path)
        if secret is None:
            with locked(path.parent):
                secret = read_secret(path)  # another process may have been quicker
                if secret is None:
                    secret = secrets.token_bytes(SECRET_BYTES)
                    write_whole(path, secret)
    return secret


def read_secret(path: Path) -> bytes | None:
    """The secret of a file, None where there is none or it is damaged."""
    with suppress(FileNotFoundError):
        if len(secret := path.read_bytes()) == SECRET_BYTES:
            return secret
    return None
