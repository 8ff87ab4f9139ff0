"""Runs the command as a server on a free loopback port, for the tests that need a real one.

`python -m tests.serving PROGRAM …` runs a program beside a server, with `--url ADDRESS` added.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.preloaded import Forked

ROOT = Path(__file__).resolve().parent.parent
# From this checkout, whatever the working folder.
COMMAND = (
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT / 'app')!r}); "
    "from attnscope.cli import main; main()",
)
# Forked from a process that has imported the app: `tests.preloaded`.
PRELOADED = ("attnscope",)
PATIENCE = 30.0
# Nothing is compiled when four start at once.
START = 120.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Running:
    """Data and log are in `folder`."""

    url: str
    process: subprocess.Popen[bytes] | Forked
    folder: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def workers(self) -> list[int]:
        """`process` is their supervisor."""
        notes = (self.folder / "data/run").glob("*.flight")
        return [int(path.name.partition("-")[0]) for path in notes]

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text(encoding="utf-8")


@contextmanager
def serving(command: Sequence[str], folder: Path, *options: str) -> Iterator[str]:
    """Yields the address of `command serve` in `folder`."""
    with running(command, folder, *options) as server:
        yield server.url


@contextmanager
def running(
    command: Sequence[str], folder: Path, *options: str, before: str = "", **settings: object
) -> Iterator[Running]:
    """With settings: `running(PRELOADED, folder, header_seconds=0.5)`; `before`: code that a
    preloaded server runs first."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    where = ["--host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder / "data")]
    log = folder / "server.log"
    words = ["serve", *where, *options]
    environment = os.environ | {f"ATTNSCOPE_{k.upper()}": str(v) for k, v in settings.items()}
    server: subprocess.Popen[bytes] | Forked
    if command is PRELOADED:
        server = Forked(words, folder, log, environment, before)
    else:
        with log.open("wb") as sink:
            server = subprocess.Popen(
                [*command, *words], cwd=folder, stdout=sink, stderr=sink, env=environment
            )
    try:
        _wait_until_alive(url, server, log)
        yield Running(url, server, folder)
    finally:
        server.terminate()
        server.wait(PATIENCE)


def _wait_until_alive(url: str, server: subprocess.Popen[bytes] | Forked, log: Path) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the server did not answer:\n{log.read_text()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, serving(COMMAND, Path(scratch)) as address:
        sys.exit(subprocess.run([*sys.argv[1:], "--url", address], check=False).returncode)
