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

from attnscope import cancellation
from attnscope.tokens.frames import pack_frame, read_frame
from attnscope.tokens.tokenizer_worker import NO_MEMORY

MIB = 1 << 20
LOOK = 0.05  # seconds between checks for disconnection
PATIENCE = 0.25  # seconds before the first check
SLACK = 4  # wall-clock limit as a multiple of CPU time
# Thread pools reserve address space, which is limited.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"
}  # fmt: skip
# Variables for the process. Others may contain keys.
INHERITED = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME")
BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from attnscope.tokens.tokenizer_worker import main; main(int(sys.argv[1]))"
)


class TokenizationFailed(Exception):
    pass


class Process:
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
        """Raises TokenizationFailed, ClientDisconnected. A process without reply is killed."""
        try:
            self._pipe.sendall(pack_frame((work, seconds, memory, *arguments), content))
            self._wait(SLACK * (seconds + 1))
            (became, *values), _ = read_frame(self._replies)
        except (EOFError, OSError, ValueError):  # killed
            self.end()
            raise TokenizationFailed from None
        except BaseException:
            self.end()
            raise
        if became == NO_MEMORY:
            raise TokenizationFailed
        return [became, *values]

    def _wait(self, seconds: float) -> None:
        began = time.monotonic()
        ready = select.poll()  # select.select takes descriptors below 1,024
        ready.register(self._pipe, select.POLLIN)
        while not ready.poll(1000 * LOOK):
            waited = time.monotonic() - began
            if waited > PATIENCE:
                cancellation.check()
            if waited > seconds:
                raise EOFError

    @property
    def alive(self) -> bool:
        return not self._replies.closed and self._child.poll() is None

    def kill(self) -> None:
        """A waiting thread must still call `end`."""
        self._child.kill()

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self._replies.close()
        self._pipe.close()
