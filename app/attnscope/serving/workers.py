"""Processes on the same sockets: whoever dies is replaced, and all end in time.

One worker has a supervisor too: a checkpoint that is cut short while it is mapped ends the process
that reads it (SIGBUS), whatever Python does. Workers are forked from a supervisor that has imported
and made what they share: one that is replaced answers at once, and most of its memory is shared.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path

from prometheus_client.multiprocess import mark_process_dead
from uvicorn.config import STARTUP_FAILURE

from attnscope.main import prepare
from attnscope.serving import logs
from attnscope.serving.flights import RUN, tell_of_the_dead
from attnscope.serving.machine import settle
from attnscope.serving.server import Server
from attnscope.serving.watchdog import SIGNALS
from attnscope.settings import Settings

log = logging.getLogger("attnscope.server")
FORK = multiprocessing.get_context("fork")
PAUSE = 1.0  # seconds until the next try, after a worker that died before it answered
SLACK = 0.5  # seconds that a worker may take longer than it has
PID_BYTES = 8


class Workers:
    """Keeps `count` workers alive until a signal comes.

    uvicorn's own supervisor waits for its workers without end, kills whoever does not answer in
    five seconds of computing, and leaves them alone on the port when it is killed itself.
    """

    def __init__(
        self,
        settings: Settings,
        sockets: list[socket.socket],
        count: int,
        answering: Callable[[], None],
        folder: Path | None,
    ) -> None:
        self.settings = settings
        self.sockets = sockets
        self.count = count
        self.answering = answering
        self.alive: set[ForkProcess] = set()
        self.answered: set[int] = set()  # by their process numbers
        self.folder = folder  # in which they count together
        self.failed = False
        self._heard, self._signalled = socket.socketpair()
        self._signalled.setblocking(False)
        self._told, self._tells = socket.socketpair(type=socket.SOCK_DGRAM)

    def run(self) -> int:
        """The exit code, when every worker has ended."""
        for each in SIGNALS:
            signal.signal(each, lambda *_: None)
        signal.set_wakeup_fd(self._signalled.fileno(), warn_on_full_buffer=False)
        _prepare(self.folder)
        settle()  # what is there is not looked at again, and stays shared
        logs.begin(self.settings.log_format, self.settings.log_level)
        self._keep()
        self._stop()
        logs.end()
        return 1 if self.failed else 0

    def _keep(self) -> None:
        while not self.failed:
            while len(self.alive) < self.count:
                self._start()
            ends = [worker.sentinel for worker in self.alive]
            ready = wait([self._heard, self._told, *ends])
            if self._told in ready:
                self._hear()
            if self._heard in ready:
                break
            for worker in [each for each in self.alive if each.sentinel in ready]:
                self._bury(worker)

    def _start(self) -> None:
        worker = FORK.Process(target=work, args=(self.settings, self.sockets, self._tells))
        # A signal waits until the worker listens to it; it would end up with its supervisor.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        worker.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        self.alive.add(worker)

    def _hear(self) -> None:
        """A worker answers."""
        first = not self.answered
        self.answered.add(int.from_bytes(self._told.recv(PID_BYTES)))
        if first:
            self.answering()

    def _bury(self, worker: ForkProcess) -> None:
        worker.join()
        self.alive.remove(worker)
        if self.folder is not None:
            # Its counters stay; its gauges (connections, memory) go.
            mark_process_dead(worker.pid, str(self.folder))  # type: ignore[no-untyped-call]
        if worker.exitcode == STARTUP_FAILURE:
            self.failed = True  # the next one would fail in the same way
            return
        fields = {"process": worker.pid, "code": worker.exitcode}
        log.error("a worker died, another takes its place", extra={"fields": fields})
        tell_of_the_dead(self.settings.data_dir / RUN)
        if worker.pid not in self.answered:
            wait([self._heard], PAUSE)

    def _stop(self) -> None:
        for listening in self.sockets:
            listening.close()  # the port closes with the workers
        for worker in self.alive:
            worker.terminate()
        end = time.monotonic() + self.settings.stop_seconds + SLACK
        for worker in self.alive:
            worker.join(max(end - time.monotonic(), 0.0))
            if worker.is_alive():
                worker.kill()
                worker.join()


def _prepare(folder: Path | None) -> None:
    prepare()
    for path in folder.glob("*.db") if folder else ():
        path.unlink()  # the supervisor serves no requests


def work(settings: Settings, sockets: list[socket.socket], tells: socket.socket) -> None:
    """A worker's whole life."""
    signal.set_wakeup_fd(-1)  # the supervisor's, until the server sets its own

    def answering() -> None:
        tells.send(os.getpid().to_bytes(PID_BYTES))

    Server(settings, answering).serve_on(sockets)
