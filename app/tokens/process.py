"""One process that cuts texts, from the side that asks it (`cutter.py` is the other)."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from app import stopping
from app.tokens.cutter import NO_MEMORY
from app.tokens.frames import framed, read_frame

MIB = 1 << 20
LOOK = 0.05  # seconds between two looks at whether the client is still connected
PATIENCE = 0.25  # seconds: shorter work is finished although the client has disconnected
SLACK = 4  # times the CPU seconds of a work that it may take by the clock
# Threads of a library reserve addresses, and count where those are limited.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"
}  # fmt: skip
# Of the server's own environment, which has its keys, what Python itself may need to start.
INHERITED = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME")
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
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        with theirs:
            self._child = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                env=ENVIRONMENT | inherited,
            )  # fmt: skip
        self._pipe, self._replies = ours, ours.makefile("rb")

    def ask(
        self, work: str, seconds: int, memory: int, *arguments: Any, content: bytes = b""
    ) -> list[Any]:
        """The reply. Raises CutFailed, and Abandoned if the client has disconnected; both end the
        process."""
        try:
            self._pipe.sendall(framed((work, seconds, memory, *arguments), content))
            self._wait(SLACK * (seconds + 1))
            (became, *values), _ = read_frame(self._replies)
        except (EOFError, OSError, ValueError):  # it died, perhaps within its reply
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
        ready = select.poll()  # select takes no descriptor above 1,023
        ready.register(self._pipe, select.POLLIN)
        while not ready.poll(1000 * LOOK):
            waited = time.monotonic() - began
            if waited > PATIENCE:
                stopping.check()
            if waited > seconds:
                raise EOFError

    @property
    def alive(self) -> bool:
        return not self._replies.closed and self._child.poll() is None

    def kill(self) -> None:
        """Ends it while another thread may wait for its reply; that one has to `end` it."""
        self._child.kill()

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self._replies.close()
        self._pipe.close()
