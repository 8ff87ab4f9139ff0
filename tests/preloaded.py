"""Servers forked from a process that has imported and prepared the app, which takes four seconds.

prometheus_client asks on import whether there are several workers, so it is set before.
`COMMAND` of `tests.serving` sets it as the product does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path

from prometheus_client import values

ROOT = Path(__file__).resolve().parent.parent
SERVERS = multiprocessing.get_context("forkserver")
SERVERS.set_forkserver_preload(["attnscope.cli", "attnscope.serving.workers", "tests.prepared"])
# Before numpy is imported, as in `attnscope.serving`: threads do not survive a fork.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


class Forked:
    """Like `subprocess.Popen`, as far as tests need."""

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        log: Path,
        environment: Mapping[str, str],
        before: str,
    ) -> None:
        """`before`: code to run first."""
        _begin()
        self.process = SERVERS.Process(
            target=_run, args=(list(words), folder, log, dict(environment), before)
        )
        self.process.start()
        self.pid: int = self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.process.join(timeout)
        code = self.process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("attnscope", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def printed(program: str, out: Path) -> list[str]:
    """Lines that a program prints in a process of its own, which has imported the app."""
    _begin()
    process = SERVERS.Process(target=_print, args=(program, out))
    process.start()
    process.join()
    lines = out.read_text().splitlines()
    assert process.exitcode == 0, lines
    return lines


def _print(program: str, out: Path) -> None:
    with out.open("ab") as sink:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(sink.fileno(), stream.fileno())
    exec(program, {})
    sys.stdout.flush()


def _begin() -> None:
    """Start the process to fork from, without settings of a test."""
    own = dict(os.environ)
    for name in [name for name in own if name.startswith("ATTNSCOPE_")]:
        del os.environ[name]
    os.environ.update(ONE_THREAD, PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'app'}")
    try:
        forkserver.ensure_running()
    finally:
        os.environ.clear()
        os.environ.update(own)


def _run(
    words: list[str], folder: Path, log: Path, environment: dict[str, str], before: str
) -> None:
    with log.open("ab") as sink:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(sink.fileno(), stream.fileno())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    exec(before, {})
    if "--workers" in words and words[words.index("--workers") + 1] != "1":
        values.ValueClass = values.MultiProcessValue()
    from attnscope.cli import main

    main(words)
