"""A server under measurement: of any checkout, watched through /proc."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from attnscope.settings import Settings
from tests.preloaded import Forked
from tests.serving import ROOT, free_port

MIB = 1 << 20
PATIENCE = 60.0
COMMAND = "import sys; sys.path.insert(0, {folder!r}); from {package}.cli import main; main()"


def memory_bound(settings: Settings | None = None) -> int:
    """Bytes of a worker at most, as in docs/operations.md."""
    settings = settings or Settings()
    return (200 + settings.cache_mb + 256 + settings.memory_mb) * MIB


def resting_bound(settings: Settings | None = None) -> int:
    """Without requests."""
    settings = settings or Settings()
    return memory_bound(settings) - settings.memory_mb * MIB


class Served:
    """`tree`: its checkout; `folder`: data and log.

    Limits of the system: `address_space` (MB), `file_size` (bytes), `files`; `settings`:
    environment.
    """

    def __init__(
        self,
        folder: Path,
        tree: Path = ROOT,
        workers: int = 1,
        address_space: int | None = None,
        file_size: int | None = None,
        files: int | None = None,
        **settings: str,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "server.log"
        self.port = free_port()
        self.workers = workers
        # Before 0.3.0 the package was `app`.
        renamed = (tree / "app/attnscope").is_dir()
        source, package = (tree / "app", "attnscope") if renamed else (tree, "app")
        program = COMMAND.format(folder=str(source), package=package)
        self._command = [sys.executable, "-c", program]
        self._limits = [(resource.RLIMIT_AS, address_space and address_space * MIB)]
        self._limits += [(resource.RLIMIT_FSIZE, file_size), (resource.RLIMIT_NOFILE, files)]
        self._environment = {**os.environ, "PYTHONPATH": str(source), **settings}
        self._process: subprocess.Popen[bytes] | Forked | None = None

    def __enter__(self) -> Served:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.alive:
            self.stop()
        self.kill()

    def start(self) -> None:
        """Returns when /healthz answers. Raises RuntimeError with the log."""
        where = ["--port", str(self.port), "--data-dir", str(self.data)]
        with self.log.open("ab") as sink:
            self._process = self._begin(["serve", *where, "--workers", str(self.workers)], sink)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.alive:
            with suppress(OSError), urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                return
            time.sleep(0.05)
        raise RuntimeError(f"the server did not answer:\n{self.log.read_text()[-4000:]}")

    def _begin(self, words: list[str], sink: BinaryIO) -> subprocess.Popen[bytes] | Forked:
        """In its own session; `sink`: output."""
        return subprocess.Popen(
            [*self._command, *words],
            cwd=self.folder, stdout=sink, stderr=sink, env=self._environment,
            start_new_session=True, preexec_fn=self._limit,
        )  # fmt: skip

    def _limit(self) -> None:
        for what, most in self._limits:
            if most:
                resource.setrlimit(what, (most, most))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes] | Forked:
        assert self._process is not None, "start() comes first"
        return self._process

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self, patience: float = 30.0) -> tuple[float, int | None]:
        """Seconds until the process ended, and its exit code; None if killed after `patience`
        seconds."""
        began = time.monotonic()
        self.process.terminate()
        try:
            code: int | None = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
            self.kill()
        return time.monotonic() - began, code

    def kill(self) -> None:
        """kill −9 for the server and its workers."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def processes(self) -> list[int]:
        """With descendants."""
        found = [self.process.pid]
        for pid in found:
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():  # any thread may have started some
                    found += [int(child) for child in (task / "children").read_text().split()]
        return found

    def resident(self) -> int:
        """Bytes of the largest process."""
        return max(_memory(pid, "VmRSS") for pid in self.processes())

    def all_resident(self) -> int:
        """Bytes of all processes; shared pages count once."""
        return sum(_shares(pid) for pid in self.processes())

    def peak(self) -> int:
        """Bytes of the largest process since `forget_peak`."""
        return max(_memory(pid, "VmHWM") for pid in self.processes())

    def forget_peak(self) -> None:
        for pid in self.processes():
            with suppress(OSError):
                Path(f"/proc/{pid}/clear_refs").write_text("5")

    def busy(self) -> float:
        """Processor seconds."""
        return sum(_seconds(pid) for pid in self.processes())

    def rests(self, below: int, seconds: float = 20.0) -> int:
        """Wait until less than `below` bytes are resident, or `seconds`; returns the bytes."""
        end = time.monotonic() + seconds
        while (now := self.resident()) > below and time.monotonic() < end:
            time.sleep(0.25)
        return now


def _memory(pid: int, row: str) -> int:
    """Bytes in /proc/PID/status; 0 if ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{row}:"):
                return int(line.split()[1]) << 10
    return 0


def _shares(pid: int) -> int:
    """Proportional bytes; 0 if ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def _seconds(pid: int) -> float:
    with suppress(OSError):
        row = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(row[11]) + int(row[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def overbooked() -> float:
    """Load per processor, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def circumstances() -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, load average {load}"
