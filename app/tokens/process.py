"""One process that cuts texts, from the side that asks it (`cutter.py` is the other)."""

from __future__ import annotations

import json
import marshal
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app import stopping
from app.tokens.cutter import NO_MEMORY

MIB = 1 << 20
LOOK = 0.05  # seconds between two looks at whether the client is still connected
PATIENCE = 0.25  # seconds: a shorter work is finished although nobody waits, the process stays
SLACK = 4  # times the CPU seconds of a work that it may take by the clock
BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from app.tokens.cutter import main; main(int(sys.argv[1]))"
)


class CutFailed(Exception):
    """The process was ended: its work took more time or memory than it may."""


class Process:
    """Starts at once; used by one thread at a time."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        paths = [str(Path(__file__).parents[2]), *filter(None, sys.path)]
        command = [sys.executable, "-I", "-S", "-c", BEGIN, str(theirs.fileno()), json.dumps(paths)]
        with theirs:
            self._child = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                env={"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
            )  # fmt: skip
        self._pipe = Connection(ours.detach())

    def ask(self, work: str, seconds: int, memory: int, *arguments: Any) -> list[Any]:
        """The reply. Raises CutFailed, and Abandoned where nobody waits any more; the process is
        ended then."""
        try:
            self._pipe.send_bytes(marshal.dumps((work, seconds, memory, *arguments)))
            self._wait(SLACK * (seconds + 1))
            became, *values = marshal.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):
            self.end()
            raise CutFailed from None
        except BaseException:
            self.end()
            raise
        if became == NO_MEMORY:
            raise CutFailed
        return [became, *values]

    def _wait(self, seconds: float) -> None:
        began = time.monotonic()
        while not self._pipe.poll(LOOK):
            waited = time.monotonic() - began
            if waited > PATIENCE:
                stopping.check()
            if waited > seconds:
                raise EOFError

    @property
    def alive(self) -> bool:
        return not self._pipe.closed and self._child.poll() is None

    def kill(self) -> None:
        """Ends it while another thread may wait for its reply; that one has to `end` it."""
        self._child.kill()

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self._pipe.close()
