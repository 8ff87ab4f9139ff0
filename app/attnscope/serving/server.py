from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from types import FrameType
from typing import Any

from uvicorn import Config
from uvicorn import Server as UvicornServer

from attnscope.serving import logs
from attnscope.serving.connections import Connections
from attnscope.serving.flights import RUN, Flights, log_killed_processes
from attnscope.serving.guard import Guard
from attnscope.serving.machine import (
    ACCEPTS_PER_TURN,
    LISTEN_BACKLOG,
    Trimming,
    connections_that_fit,
    shorten_thread_switches,
    tune_garbage_collector,
    tune_malloc,
)
from attnscope.serving.watchdog import SIGNALS, Watchdog
from attnscope.settings import Settings

log = logging.getLogger("attnscope.server")
APP = "attnscope.main:create_app"
TICKS = 30  # of 0.1 s, between updates of the gauges


class Server(UvicornServer):
    server_state: Connections

    def __init__(self, settings: Settings, answering: Callable[[], None]) -> None:
        self.settings = settings
        self.answering = answering
        self.trimming = Trimming()
        super().__init__(_config(settings))

    def serve_on(self, sockets: list[socket.socket]) -> None:
        """Serve until a signal; then return after the last reply, within `stop_seconds`."""
        tune_malloc()
        shorten_thread_switches()
        self.settings.max_connections = connections_that_fit(self.settings.max_connections)
        logs.configure(self.settings.log_format, self.settings.log_level)
        folder = self.settings.data_dir / RUN
        log_killed_processes(folder)
        self.flights = Flights(folder)
        Watchdog(self.settings.stop_seconds, self._log_unanswered).start()
        for each in SIGNALS:
            signal.signal(each, self.handle_exit)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        threading.Thread(target=self._end_with_parent, name="parent", daemon=True).start()
        try:
            self.run(sockets)
        finally:
            self._log_unanswered()

    def _end_with_parent(self) -> None:
        """Kill this process when the supervisor has ended, to free the port."""
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            self.flights.leave()
            os.kill(os.getpid(), signal.SIGKILL)

    def _log_unanswered(self) -> None:
        if left := self.flights.close():
            log.warning("requests were left unanswered", extra={"fields": {"ids": left}})
        logs.end()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.loaded_app
        self.state: Any = app.state
        self.state.flights = self.flights
        self.server_state = Connections(
            self.settings, app.state.catalogue, app.state.metrics.refused
        )
        gauge, state = self.state.metrics.gauge, self.server_state
        gauge("attnscope_connections", "Open", lambda: len(state.connections))
        gauge("attnscope_connections_limit", "Connection limit", lambda: state.limit)
        gauge("attnscope_unsent_bytes", "Unsent reply bytes", state.unsent)
        tune_garbage_collector()
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(
                LISTEN_BACKLOG
            )  # asyncio's backlog is also the number of accepts per turn
        self.server_state.watch()
        if self.started:
            self.answering()

    async def on_tick(self, counter: int) -> bool:
        if self.state.metrics.several and counter % TICKS == 0:
            # another worker may answer /metrics
            await asyncio.to_thread(self.state.metrics.look)
        now, state = asyncio.get_running_loop().time(), self.server_state
        if self.trimming.due(now, state.total_requests, len(state.tasks)):
            await asyncio.to_thread(self.trimming.trim)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.server_state.stopping = True
        self.state.stopping.set()
        await super().shutdown(sockets)
        self.server_state.log_refused(asyncio.get_running_loop().time(), age=0.0)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: uvicorn's method would raise signals again, and exit with −15."""
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.should_exit = True


def _config(settings: Settings) -> Config:
    stop = settings.stop_seconds
    return Config(
        APP,
        factory=True,
        http=Guard,
        ws="none",
        loop="asyncio",
        interface="asgi3",
        lifespan="on",
        proxy_headers=False,  # uvicorn would trust local peers
        server_header=False,
        access_log=False,
        log_config=None,
        backlog=ACCEPTS_PER_TURN,
        timeout_keep_alive=ceil(settings.keep_alive_seconds),
        # Earlier than the watchdog, so that files are closed.
        timeout_graceful_shutdown=stop - min(1.5, stop / 4),  # type: ignore[arg-type]
    )
