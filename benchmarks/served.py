"""A server under measurement: of any checkout, watched through /proc, ended by its pid."""

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
    """Bytes that a worker takes at most, as docs/operations.md has it."""
    settings = settings or Settings()
    return (200 + settings.cache_mb + 256 + settings.memory_mb) * MIB


def resting_bound(settings: Settings | None = None) -> int:
    """The same when no request holds anything."""
    settings = settings or Settings()
    return memory_bound(settings) - settings.memory_mb * MIB


class Served:
    """`attnscope serve` of the checkout `tree`, with its data and its log in `folder`.

    `address_space` (MB), `file_size` (bytes) and `files` are limits that the system keeps;
    `settings` are environment variables.
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
        # A checkout from before 0.3.0 has the package `app`.
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
        """Returns when /healthz answers; raises RuntimeError with the log where it never does."""
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
        """The process of `attnscope WORDS`, in a session of its own; `sink` is for what it says."""
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
        """SIGTERM: seconds until the process ended, and its exit code; None where it had to be
        killed after `patience` seconds."""
        began = time.monotonic()
        self.process.terminate()
        try:
            code: int | None = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            code = None
            self.kill()
        return time.monotonic() - began, code

    def kill(self) -> None:
        """kill −9 for the server and its workers, which have a session of their own."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def processes(self) -> list[int]:
        """The server's own pid and those below it."""
        found = [self.process.pid]
        for pid in found:
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():  # any thread may have started some
                    found += [int(child) for child in (task / "children").read_text().split()]
        return found

    def resident(self) -> int:
        """Bytes of memory of the process that has most now."""
        return max(_memory(pid, "VmRSS") for pid in self.processes())

    def all_resident(self) -> int:
        """Bytes of memory of all processes, what several share once."""
        return sum(_shares(pid) for pid in self.processes())

    def peak(self) -> int:
        """The most that any one process had since `forget_peak`."""
        return max(_memory(pid, "VmHWM") for pid in self.processes())

    def forget_peak(self) -> None:
        for pid in self.processes():
            with suppress(OSError):
                Path(f"/proc/{pid}/clear_refs").write_text("5")

    def busy(self) -> float:
        """Seconds of a processor that the server has taken."""
        return sum(_seconds(pid) for pid in self.processes())

    def rests(self, below: int, seconds: float = 20.0) -> int:
        """Waits until less than `below` bytes are resident, `seconds` at the most; what is then."""
        end = time.monotonic() + seconds
        while (now := self.resident()) > below and time.monotonic() < end:
            time.sleep(0.25)
        return now


def _memory(pid: int, row: str) -> int:
    """Bytes in a row of /proc/PID/status; 0 for a process that has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{row}:"):
                return int(line.split()[1]) << 10
    return 0


def _shares(pid: int) -> int:
    """Bytes of a process, of pages of several its proportion; 0 for one that has ended."""
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
    """How many want each processor: what takes a second alone takes so many seconds now."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def circumstances() -> str:
    """The date, the cores, and how busy they are."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores, load average {load}"
