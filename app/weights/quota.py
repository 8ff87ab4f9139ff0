"""How much a folder may hold, counted on the disk; called under the folder's lock.

Counting thousands of files takes longer than writing a small one. So `.ledger` holds the bytes
taken and the time of the last count: it may say too much (deleting does not correct it), never
too little, and nothing is refused or evicted without a fresh count.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from app.errors import StorageFull
from app.weights.disk import NEW

STALE_SECONDS = 3600.0  # a file still being written after so long belongs to nobody
COUNT_SECONDS = 600.0


class Entry(NamedTuple):
    """A file in its place, or one being written."""

    used: float
    size: int
    path: Path


@dataclass(frozen=True)
class Quota:
    """Room for the files of one suffix; where there is none, the oldest go or StorageFull comes."""

    folder: Path
    limit: int
    expiry_seconds: float
    suffix: str
    evict_oldest: bool

    def take(self, size: int) -> None:
        """Books that many bytes. Raises StorageFull."""
        taken, counted_at = self._read_ledger()
        if taken + size > self.limit or not 0 <= time.time() - counted_at < COUNT_SECONDS:
            taken, counted_at = self._make_room(size), time.time()
        (self.folder / ".ledger").write_text(f"{taken + size} {counted_at!r}")

    def _read_ledger(self) -> tuple[int, float]:
        """Bytes taken and when they were counted: long ago, where the ledger cannot be read."""
        try:
            taken, counted_at = (self.folder / ".ledger").read_text().split()
            return int(taken), float(counted_at)
        except (FileNotFoundError, ValueError):
            return 0, 0.0

    def _make_room(self, size: int) -> int:
        entries = self._count()
        taken = sum(entry.size for entry in entries)
        if self.evict_oldest and size <= self.limit < taken + size:
            # A tenth more than needed: a full folder must not be counted for every file.
            for entry in sorted(entries):
                if taken + size <= self.limit - self.limit // 10:
                    break
                if not entry.path.name.startswith(NEW):
                    entry.path.unlink(missing_ok=True)
                    taken -= entry.size
        if taken + size > self.limit:
            raise StorageFull("quota", needed=size, taken=taken, limit=self.limit)
        return taken

    def _count(self) -> list[Entry]:
        """What is there, after what expired and what was left half written has gone."""
        now = time.time()
        entries = []
        with os.scandir(self.folder) as files:
            for file in files:
                new = file.name.startswith(NEW)
                if not new and not file.name.endswith(self.suffix):
                    continue
                with suppress(FileNotFoundError):
                    status = file.stat(follow_symlinks=False)
                    if now - status.st_mtime > (STALE_SECONDS if new else self.expiry_seconds):
                        os.unlink(file.path)
                    else:
                        entries.append(Entry(status.st_mtime, status.st_size, Path(file.path)))
        return entries
