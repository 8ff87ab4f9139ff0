"""Executor on a Dask cluster."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock, Thread
from typing import Any

import numpy as np

from attnscope.attention import thread_pool

log = logging.getLogger("attnscope.compute")

CONNECT = 5.0  # seconds
PATIENCE = 60.0  # seconds to wait for a piece
RETRY_SECONDS = 60.0  # seconds until the cluster is tried again
LOOK = 0.25  # seconds between checks
LARGE = 1 << 20  # bytes; larger arguments are sent once


class Cluster(Executor):
    """Uses Dask workers, which need this version of attnscope, or local cores if they fail."""

    def __init__(
        self, address: str, *, connect: float = CONNECT, patience: float = PATIENCE,
        look: float = LOOK,
    ) -> None:  # fmt: skip
        self._connect, self.patience, self.look = connect, patience, look
        self._address = address.replace("dask://", "tcp://", 1)
        self._lock = Lock()
        self._client: Any = None
        self._sent: dict[int, tuple[weakref.ref[np.ndarray], Any]] = {}
        self._pieces: weakref.WeakValueDictionary[int, _ClusterFuture] = (
            weakref.WeakValueDictionary()
        )
        self._tried = -RETRY_SECONDS

    def submit(self, task: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        client = self._connected()
        if client is not None:
            try:
                sent = [self._sent_once(client, one) for one in args]
                remote = client.get_executor(retries=2).submit(task, *sent, **named)
                piece = _ClusterFuture(self, client, remote, lambda: task(*args, **named))
                self._pieces[id(piece)] = piece
                return piece
            except Exception as error:
                self.leave(client, error)
        return thread_pool.shared_executor().submit(task, *args, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            client, self._client, self._tried = self._client, None, time.monotonic()
        if client is not None:
            _close(client)

    def leave(self, client: Any, error: BaseException) -> None:
        """Use local cores for AGAIN seconds, also for pending tasks."""
        with self._lock:
            if client is not None and client is not self._client:
                return
            self._client, self._tried = None, time.monotonic()
            self._sent.clear()
            pieces = list(self._pieces.values())
            self._pieces.clear()
        log.warning(
            "%s does not compute, this machine does: %s",
            self._address,
            str(error) or type(error).__name__,
        )
        for piece in pieces:
            piece.do_here()
        if client is not None:
            Thread(target=_close, args=(client,), daemon=True).start()

    def _connected(self) -> Any:
        with self._lock:
            if self._client is not None or time.monotonic() - self._tried < RETRY_SECONDS:
                return self._client
            self._tried = time.monotonic()
        try:
            from distributed import Client

            client = Client(self._address, timeout=self._connect, set_as_default=False)
        except Exception as error:
            self.leave(None, error)
            return None
        with self._lock:
            self._client = client
        log.info("%s computes", self._address)
        return client

    def _sent_once(self, client: Any, one: Any) -> Any:
        if not isinstance(one, np.ndarray) or one.nbytes < LARGE:
            return one
        with self._lock:
            known = self._sent.get(id(one))
        if known is not None and known[0]() is one:
            return known[1]
        there = client.scatter(one, broadcast=True, hash=False, timeout=self.patience)
        key = id(one)

        def forget(_: weakref.ref[np.ndarray]) -> None:
            self._sent.pop(key, None)

        with self._lock:
            self._sent[key] = (weakref.ref(one, forget), there)
        return there


class _ClusterFuture(Future[Any]):
    """A task, computed locally if the cluster fails."""

    def __init__(
        self, cluster: Cluster, client: Any, remote: Future[Any], here: Callable[[], Any]
    ) -> None:
        super().__init__()
        self._cluster, self._client, self._remote, self._here = cluster, client, remote, here
        self._again: Future[Any] | None = None
        self._wanted = True

    def result(self, timeout: float | None = None) -> Any:
        """`timeout` is ignored."""
        began = time.monotonic()
        while self._again is None:
            try:
                return self._remote.result(timeout=self._cluster.look)
            except TimeoutError as slow:
                waited = time.monotonic() - began
                if self._client.status == "running" and waited < self._cluster.patience:
                    continue
                error: Exception = slow
            except Exception as wrong:
                error = wrong
            found = self._here()
            self._wanted = False
            self._cluster.leave(self._client, error)
            return found
        return self._again.result()

    def do_here(self) -> None:
        remote = self._remote
        came = remote.done() and not remote.cancelled() and remote.exception() is None
        if self._wanted and not came:
            self._again = thread_pool.shared_executor().submit(self._here)

    def cancel(self) -> bool:
        self._wanted = False
        return (self._again or self._remote).cancel()


def _close(client: Any) -> None:
    try:
        client.close(timeout=CONNECT)
    except Exception as error:
        log.debug("the client did not close: %s", error)


def executor_at(address: str) -> Executor | None:
    """None means local cores."""
    return Cluster(address) if address else None
