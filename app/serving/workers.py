"""Several processes on the same sockets: whoever dies is replaced, and all end in time."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from prometheus_client.multiprocess import mark_process_dead
from uvicorn.config import STARTUP_FAILURE

from app.serving import logs
from app.serving.counting import counting_together
from app.serving.flights import RUN, tell_of_the_dead
from app.serving.server import Server
from app.serving.watchdog import SIGNALS
from app.settings import Settings
from app.web.http.metrics import FOLDER

log = logging.getLogger("attnscope.server")
SPAWN = multiprocessing.get_context("spawn")
YOUNG = 1.0  # seconds: who dies before is not replaced at once
SLACK = 0.5  # seconds that a worker may take longer than it has


class Workers:
    """Keeps `count` workers alive until a signal comes.

    uvicorn's own supervisor waits for its workers without end, kills whoever does not answer in
    five seconds of computing, and leaves them alone on the port when it is killed itself.
    """

    def __init__(self, settings: Settings, sockets: list[socket.socket], count: int) -> None:
        self.settings = settings
        self.sockets = sockets
        self.count = count
        self.alive: dict[SpawnProcess, float] = {}
        self.failed = False
        self._heard, self._signalled = socket.socketpair()
        self._signalled.setblocking(False)

    def run(self) -> int:
        """The exit code, when every worker has ended."""
        logs.begin(self.settings.log_format, self.settings.log_level)
        for each in SIGNALS:
            signal.signal(each, lambda *_: None)
        signal.set_wakeup_fd(self._signalled.fileno(), warn_on_full_buffer=False)
        with counting_together() as folder:
            os.environ[FOLDER] = str(folder)  # the workers inherit it
            self._keep()
            self._stop()
        logs.end()
        return 1 if self.failed else 0

    def _keep(self) -> None:
        while not self.failed:
            while len(self.alive) < self.count:
                self._start()
            ready = wait([self._heard, *(worker.sentinel for worker in self.alive)])
            if self._heard in ready:
                break
            for worker in [each for each in self.alive if each.sentinel in ready]:
                self._bury(worker)

    def _start(self) -> None:
        worker = SPAWN.Process(target=work, args=(self.settings, self.sockets))
        worker.start()
        self.alive[worker] = time.monotonic()

    def _bury(self, worker: SpawnProcess) -> None:
        worker.join()
        # What it counted goes on counting; what it was (connections, memory) is no more.
        mark_process_dead(worker.pid, os.environ[FOLDER])  # type: ignore[no-untyped-call]
        age = time.monotonic() - self.alive.pop(worker)
        if worker.exitcode == STARTUP_FAILURE:
            self.failed = True  # the next one would fail in the same way
            return
        fields = {"process": worker.pid, "code": worker.exitcode}
        log.error("a worker died, another takes its place", extra={"fields": fields})
        tell_of_the_dead(self.settings.data_dir / RUN)
        if age < YOUNG:
            wait([self._heard], YOUNG)

    def _stop(self) -> None:
        for worker in self.alive:
            worker.terminate()
        end = time.monotonic() + self.settings.stop_seconds + SLACK
        for worker in self.alive:
            worker.join(max(end - time.monotonic(), 0.0))
            if worker.is_alive():
                worker.kill()
                worker.join()


def work(settings: Settings, sockets: list[socket.socket]) -> None:
    """A worker's whole life."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    Server(settings).serve_on(sockets)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
