"""Ids of requests in progress, in a mapped file that survives a killed process. The next start logs
these ids. A lock on the file shows that its process lives, as containers reuse process ids."""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from attnscope.storage.disk import make_folder

log = logging.getLogger("attnscope.server")
RUN = "run"
ENDING = ".flight"
NAME = re.compile(rf"([0-9]+)-[0-9a-f]{{8}}{re.escape(ENDING)}")
WIDE = 80  # bytes of an entry: id and method
NOTES = 1024
EMPTY = b" " * (WIDE - 1) + b"\n"


class Flights:
    """Records nothing if the file cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._map: mmap.mmap | None = None
        self._free: list[int] = []
        self._path = folder / f"{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
        try:
            make_folder(folder)
            self._map = self._open()
            self._free = list(range(NOTES))
        except OSError as error:
            fields = {"cause": error.strerror}
            log.warning("requests under way are not noted", extra={"fields": fields})

    def _open(self) -> mmap.mmap:
        new = self._path.with_suffix(".new")
        # The descriptor stays open to hold the lock.
        self._descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            # Without allocated pages, a full disk would raise SIGBUS.
            os.posix_fallocate(self._descriptor, 0, NOTES * WIDE)
            os.write(self._descriptor, EMPTY * NOTES)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            new.rename(self._path)
            return mmap.mmap(self._descriptor, NOTES * WIDE)
        except OSError:
            new.unlink(missing_ok=True)
            os.close(self._descriptor)
            raise

    def begin(self, request_id: str, method: str) -> int:
        """Return the number to pass to `end`, or −1 if not recorded."""
        if self._map is None or not self._free:
            return -1
        place = self._free.pop()
        note = f"{request_id} {method}"[: WIDE - 1].ljust(WIDE - 1)
        self._map[place * WIDE : place * WIDE + WIDE - 1] = note.encode("ascii", "replace")
        return place

    def end(self, place: int) -> None:
        if self._map is not None and place >= 0:
            self._map[place * WIDE : (place + 1) * WIDE] = EMPTY
            self._free.append(place)

    def leave(self) -> None:
        """Remove the file unless it has ids for the next start to log."""
        if len(self._free) == NOTES:
            self.close()

    def close(self) -> list[str]:
        """Remove the file, and return the ids in progress."""
        if self._map is None:
            return []
        left = _ids(self._map[:])
        with suppress(OSError):  # read-only disk
            self._path.unlink(missing_ok=True)
        self._map = None
        return left


def log_killed_processes(folder: Path) -> None:
    for path in sorted(folder.glob(f"*{ENDING}")):
        name = NAME.fullmatch(path.name)
        if name is None:
            continue
        with suppress(OSError), path.open("r+b") as notes:
            fcntl.flock(notes, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if the process lives
            if os.fstat(notes.fileno()).st_nlink:  # else another process has logged it
                ids = _ids(notes.read(NOTES * WIDE))
                path.unlink()
                fields = {"process": int(name[1]), "ids": ids}
                log.error("a process was killed", extra={"fields": fields})


def _ids(notes: bytes) -> list[str]:
    return [
        line.split()[0] for line in notes.decode("ascii", "replace").splitlines() if line.split()
    ]
