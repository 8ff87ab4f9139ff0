"""Many clients at once, doing everything there is; fails where a promise of the server is broken.

`make bench BENCH=load ARGS="--clients 200 --seconds 180 --workers 1"`. The only error that a client
may get is 503 with Retry-After, which it obeys; memory stays under the documented bound and comes
back; SIGTERM ends the server in time.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.clients.tally import Kind, Tally
from benchmarks.clients.visitor import Visitor
from benchmarks.clients.works import WORKS, live, new_seed, once
from benchmarks.served import MIB, Served, circumstances, memory_bound, resting_bound

QUIET = 3.0  # seconds of small questions alone, before
STOPS_WITHIN = 10.0
UPLOADS = 0.95  # least share of uploads answered
SENT = ("upload", "upload of a model")
TO_STORED = ("question to an upload", "question to a model", "link to a model")
STATIC = re.compile(r"""["'](/static/[^"']+\.(?:js|css))["']""")


@dataclass
class Memory:
    """Bytes of the largest process: at the start, each second, and at the end."""

    start: int = 0
    seen: list[int] = field(default_factory=list)
    peak: int = 0
    end: int = 0

    async def watch(self, server: Served) -> None:
        while True:
            self.seen.append(server.resident())
            await asyncio.sleep(1)

    def sentence(self) -> str:
        tenths = self.seen[:: max(1, len(self.seen) // 10)]
        course = " ".join(f"{each // MIB}" for each in tenths)
        return (
            f"memory, MB: {self.start // MIB} at the start, {self.peak // MIB} at the most, "
            f"{self.end // MIB} after; in between {course}"
        )


def static_files(server: Served) -> list[str]:
    """Scripts and styles of the first page."""
    with urllib.request.urlopen(f"{server.url}/", timeout=30) as page:
        return sorted(set(STATIC.findall(page.read().decode())))


async def small_questions(server: Served, tally: Tally, seconds: float) -> None:
    until = asyncio.get_running_loop().time() + seconds
    visitor = Visitor(60_000, server.port, tally, until)
    while asyncio.get_running_loop().time() < until:
        await new_seed(visitor)
        await asyncio.sleep(0.1)
    visitor.close()


async def crowd(
    server: Served, tally: Tally, memory: Memory, given: argparse.Namespace, small: Tally
) -> None:
    """Until the last reply."""
    until = asyncio.get_running_loop().time() + given.seconds
    files = static_files(server)
    visitors = [Visitor(i, server.port, tally, until, files) for i in range(given.clients)]
    watching = asyncio.ensure_future(memory.watch(server))
    async with asyncio.TaskGroup() as group:
        group.create_task(small_questions(server, small, given.seconds))
        for visitor in visitors:
            only = once(visitor, given.only) if given.only else None
            group.create_task(only or live(visitor, given.pause, until))
    watching.cancel()


def times_of(name: str, kind: Kind) -> str:
    times = [f"{kind.within(share) * 1e3:.0f}" for share in (0.5, 0.95, 0.99)]
    return f"{name}: p50, p95, p99 = {', '.join(times)} ms of {kind.asked}"


def together(tally: Tally, names: Sequence[str]) -> Kind:
    kinds = [tally.kinds[name] for name in names]
    return Kind(
        answered=[each for kind in kinds for each in kind.answered],
        refused=[each for kind in kinds for each in kind.refused],
        asked=sum(kind.asked for kind in kinds),
        given_up=sum(kind.given_up for kind in kinds),
    )


def uploads_answered(tally: Tally) -> float:
    """1 if none ended."""
    kind = together(tally, SENT)
    ended = len(kind.answered) + kind.given_up
    return len(kind.answered) / ended if ended else 1.0


def check(server: Served, tally: Tally, memory: Memory) -> None:
    """Also stops the server."""
    if memory.peak > (bound := memory_bound()):
        tally.breaks(f"{memory.peak // MIB} MB are more than the bound of {bound // MIB} MB")
    if memory.end > (bound := resting_bound()):
        tally.breaks(f"{memory.end // MIB} MB stay; at rest it is {bound // MIB} MB")
    if (share := uploads_answered(tally)) < UPLOADS:
        tally.breaks(f"{share:.0%} of the uploads were answered")
    if refused := len(together(tally, TO_STORED).refused):
        tally.breaks(f"{refused} questions to uploads that are stored were refused")
    log = server.log.read_text(errors="replace")
    if "Traceback" in log:
        print(log[max(0, log.index("Traceback") - 500) :][:5000])
        tally.breaks("there are tracebacks in the log")
    if not server.alive:
        tally.breaks("the server is gone")
        return
    seconds, code = server.stop()
    print(f"SIGTERM: ended after {seconds:.1f} s with code {code}")
    if seconds > STOPS_WITHIN or code != 0:
        tally.breaks(f"SIGTERM took {seconds:.1f} s, exit code {code}")


def run(given: argparse.Namespace, folder: Path) -> Tally:
    quiet, small, tally, memory = Tally(), Tally(), Tally(), Memory()
    with Served(folder, Path(given.tree), workers=given.workers) as server:
        asyncio.run(small_questions(server, quiet, min(QUIET, given.seconds)))
        memory.start = server.resident()
        server.forget_peak()
        asyncio.run(crowd(server, tally, memory, given, small))
        memory.peak = server.peak()
        memory.end = server.rests(resting_bound())
        print(tally.table())
        rate = tally.total / given.seconds
        statuses = ", ".join(f"{n} × {status}" for status, n in sorted(tally.statuses.items()))
        print(f"{rate:.0f} requests/s; {statuses}; {tally.left} left in the middle")
        for name, asked in (("alone", quiet), ("in the crowd", small)):
            print(times_of(f"small question, {name}", asked.kinds["default, new seed"]))
        print(times_of("uploads", together(tally, SENT)), f"{uploads_answered(tally):.1%} answered")
        print(times_of("questions to uploads", together(tally, TO_STORED)))
        bounds = f"{memory_bound() // MIB} MB, at rest {resting_bound() // MIB} MB"
        print(f"{memory.sentence()} (bound of a worker {bounds})")
        print(f"log: {server.log.stat().st_size} bytes")
        tally.broken += quiet.broken + small.broken
        check(server, tally, memory)
    return tally


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pause", type=float, default=1.0, help="of a client, seconds on average")
    parser.add_argument("--only", nargs="+", choices=WORKS, help="each client does these once")
    parser.add_argument("--tree", default=".", help="the checkout that is served")
    given = parser.parse_args(arguments)
    given.tree = str(Path(given.tree).resolve())
    print(f"{given.clients} clients, {given.seconds:.0f} s, {given.workers} workers")
    print(circumstances())
    with tempfile.TemporaryDirectory() as folder:
        tally = run(given, Path(folder))
    print(circumstances())
    print(tally.complaints() or "every promise held")
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main())
