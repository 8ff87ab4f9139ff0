"""Worker processes on shared sockets, restarted when they die.

A single worker has a supervisor too, as SIGBUS kills it if a mapped checkpoint is truncated.
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
from attnscope.serving.flights import RUN, log_killed_processes
from attnscope.serving.machine import tune_garbage_collector
from attnscope.serving.server import Server
from attnscope.serving.watchdog import SIGNALS
from attnscope.settings import Settings

log = logging.getLogger("attnscope.server")
FORK = multiprocessing.get_context("fork")
PAUSE = 1.0  # seconds after a failed start
SLACK = 0.5  # seconds that workers have after `stop_seconds`
PID_BYTES = 8


class Workers:
    """Replaces uvicorn's supervisor, which kills workers that compute for five seconds; if killed
    itself, it leaves them running."""

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
        self.answered: set[int] = set()
        self.folder = folder
        self.failed = False
        self._signals, self._signal_writer = socket.socketpair()
        self._signal_writer.setblocking(False)
        self._answers, self._answer_writer = socket.socketpair(type=socket.SOCK_DGRAM)

    def run(self) -> int:
        for each in SIGNALS:
            signal.signal(each, lambda *_: None)
        signal.set_wakeup_fd(self._signal_writer.fileno(), warn_on_full_buffer=False)
        prepare()
        for path in self.folder.glob("*.db") if self.folder else ():
            path.unlink()  # counters of the supervisor, which serves no requests
        tune_garbage_collector()  # before the fork, so that workers share the pages
        logs.configure(self.settings.log_format, self.settings.log_level)
        self._supervise()
        self._stop()
        logs.end()
        return 1 if self.failed else 0

    def _supervise(self) -> None:
        while not self.failed:
            while len(self.alive) < self.count:
                self._start()
            ends = [worker.sentinel for worker in self.alive]
            ready = wait([self._signals, self._answers, *ends])
            if self._answers in ready:
                self._read_answer()
            if self._signals in ready:
                break
            for worker in [each for each in self.alive if each.sentinel in ready]:
                self._remove_dead(worker)

    def _start(self) -> None:
        worker = FORK.Process(
            target=run_worker, args=(self.settings, self.sockets, self._answer_writer)
        )
        # signals wait until the worker has set its handlers
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        worker.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        self.alive.add(worker)

    def _read_answer(self) -> None:
        first = not self.answered
        self.answered.add(int.from_bytes(self._answers.recv(PID_BYTES)))
        if first:
            self.answering()

    def _remove_dead(self, worker: ForkProcess) -> None:
        worker.join()
        self.alive.remove(worker)
        if self.folder is not None:
            # Removes the gauges of the worker, not its counters.
            mark_process_dead(worker.pid, str(self.folder))  # type: ignore[no-untyped-call]
        if worker.exitcode == STARTUP_FAILURE:
            self.failed = True  # a new worker would fail too
            return
        fields = {"process": worker.pid, "code": worker.exitcode}
        log.error("a worker died, another takes its place", extra={"fields": fields})
        log_killed_processes(self.settings.data_dir / RUN)
        if worker.pid not in self.answered:
            wait([self._signals], PAUSE)

    def _stop(self) -> None:
        for listening in self.sockets:
            listening.close()
        for worker in self.alive:
            worker.terminate()
        end = time.monotonic() + self.settings.stop_seconds + SLACK
        for worker in self.alive:
            worker.join(max(end - time.monotonic(), 0.0))
            if worker.is_alive():
                worker.kill()
                worker.join()


def run_worker(
    settings: Settings, sockets: list[socket.socket], answer_writer: socket.socket
) -> None:
    signal.set_wakeup_fd(-1)  # inherited; the server sets its own

    def answering() -> None:
        answer_writer.send(os.getpid().to_bytes(PID_BYTES))

    Server(settings, answering).serve_on(sockets)
