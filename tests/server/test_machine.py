"""What a process asks of its machine, each in a process of its own."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from attnscope.serving.machine import COLLECTION_THRESHOLD, PAUSE, Trimming, listeners
from tests import preloaded
from tests.serving import ROOT

# metrics.resident, whose module takes a second to import.
RESIDENT = """
import os
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
"""

# Four threads, each with large arrays among small things that stay.
FRAGMENTS = """
import threading
from attnscope.serving.machine import tune_malloc
RESIDENT
tune_malloc()
kept = []
def work():
    bytes(30 << 20)  # freed at once: glibc's own threshold follows it
    large = []
    for _ in range(20):
        large.append(b"x" * (3 << 20))
        kept.append(b"y" * 100_000)
before = resident()
threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print((resident() - before) >> 20)
"""

# Every other one of many small arrays is freed: no top of an arena is free.
HOLES = """
from attnscope.serving.machine import Trimming, tune_malloc
RESIDENT
tune_malloc()
kept = [b"x" * 20_000 for _ in range(6000)]
full = resident()
del kept[::2]
trimming = Trimming()
before = resident()
trimming.trim()
print((full - before) >> 20, (before - resident()) >> 20)
"""

# A question whose garbage is searched for by hand alone, after others that warm things up.
ASKED = """
import asyncio, gc, json, tempfile
from pathlib import Path
from attnscope.main import create_app
from attnscope.settings import Settings
app = create_app(Settings(data_dir=Path(tempfile.mkdtemp())))
async def ask(seed):
    body = json.dumps({"text": "The cat sat", "model": {"source": "seeded", "seed": seed}}).encode()
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    async def receive():
        return messages.pop() if messages else await asyncio.Event().wait()
    async def send(message):
        assert message.get("status", 200) == 200
    headers = {b"host": b"127.0.0.1", b"content-type": b"application/json"}
    await app({
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "root_path": "",
        "path": "/api/v1/attention", "raw_path": b"/api/v1/attention", "query_string": b"",
        "headers": list(headers.items()), "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }, receive, send)
async def main():
    async with app.router.lifespan_context(app):
        for seed in range(20):
            await ask(seed)
        gc.collect()
        gc.disable()
        for seed in range(20, 40):
            await ask(seed)
        print(gc.collect())
asyncio.run(main())
"""

THRESHOLDS = """
import gc
from attnscope.serving.machine import tune_garbage_collector
tune_garbage_collector()
print(*gc.get_threshold())
"""


def printed(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program.replace("RESIDENT", RESIDENT)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_descriptors_are_raised_to_what_the_system_allows() -> None:
    program = (
        "import resource as r; from attnscope.serving.machine import connections_that_fit as fit;"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 600)); print(fit(512), fit(50), r.getrlimit(7));"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 100)); print(fit(512))"
    )
    assert resource.RLIMIT_NOFILE == 7
    assert printed(program) == ["344 50 (600, 600)", "16"]


def test_large_arrays_go_back_to_the_system_when_they_are_freed() -> None:
    """240 MB of them; 247 MB stayed, with what glibc does by itself."""
    (megabytes,) = printed(FRAGMENTS)
    assert int(megabytes) < 60


def test_what_lies_free_between_things_that_stay_goes_back_too() -> None:
    """60 MB of 120; a page that two arrays share stays with one of them."""
    (line,) = printed(HOLES)
    by_itself, trimmed = map(int, line.split())
    assert by_itself < 5
    assert trimmed > 35


def test_memory_is_trimmed_when_nobody_is_answered_and_not_twice_for_nothing() -> None:
    trimming = Trimming()
    assert not trimming.due(now=100.0, answered=0, under_way=0)  # nothing has happened yet
    assert not trimming.due(now=100.0, answered=7, under_way=1)
    assert trimming.due(now=100.0, answered=7, under_way=0)
    assert not trimming.due(now=100.0 + PAUSE, answered=7, under_way=0)
    assert not trimming.due(now=99.9 + PAUSE, answered=8, under_way=0)
    assert trimming.due(now=100.0 + PAUSE, answered=8, under_way=0)


def test_an_answer_leaves_nothing_to_the_collector_which_looks_seldom(tmp_path: Path) -> None:
    assert preloaded.printed(ASKED, tmp_path / "printed") == ["0"]
    assert printed(THRESHOLDS) == [f"{COLLECTION_THRESHOLD} 10 10"]


def test_a_name_is_listened_to_on_all_its_addresses_and_one_port() -> None:
    bound = listeners("localhost", 0)
    assert len({each.getsockname()[1] for each in bound}) == 1
    assert all(each.getsockname()[0] in ("127.0.0.1", "::1") for each in bound)
    for each in bound:
        each.close()


def test_where_an_address_is_taken_nothing_stays_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        listeners("127.0.0.1", taken.getsockname()[1])


def test_a_thread_that_computes_lets_the_event_loop_in_soon() -> None:
    program = (
        "import sys; from attnscope.serving.machine import shorten_thread_switches;"
        " shorten_thread_switches();"
        "print(sys.getswitchinterval() <= 0.001)"
    )
    assert printed(program) == ["True"]
