"""Clients that hold connections: silent, half-sent, endless, not reading, gone."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

from benchmarks.scenes.outcome import (
    ATTENTION,
    TRACES,
    Outcome,
    ask,
    check_rest,
    check_stop,
    large,
    small,
    watched,
)
from benchmarks.served import Served
from tests.hostile import sockets

Start = Callable[..., Served]
Hang = Callable[[int], AbstractContextManager[list[socket.socket]]]
DESCRIPTORS = 1024  # a common limit of a process
HALF_BODY = (
    b"POST /api/v1/attention HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"text":'
)
ENDLESS = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HEADER = b"X-More: " + b"a" * 65_526 + b"\r\n"
# Connections, what each sends, and the seconds until all are closed.
HANGING: dict[str, tuple[int, bytes, float]] = {
    "1,100 idle connections": (1100, b"", 12.0),
    "500 half-sent heads": (500, sockets.HALF, 12.0),
    "500 half-sent bodies": (500, HALF_BODY, 34.0),
}


def hanging(start: Start, folder: Path) -> Iterator[Outcome]:
    """Clients are served meanwhile; deadlines close hanging connections, and SIGTERM ends the
    server with as many again."""
    for number, (name, (count, sent, patience)) in enumerate(HANGING.items()):
        with start(folder / f"hanging{number}", files=DESCRIPTORS) as server:
            hang = partial(sockets.many, count=count, data=sent)
            with watched(server, name) as outcome, hang(server.port) as opened:
                ended = _ended_after(opened, patience)
            outcome.sent = count * len(sent)
            outcome.answers.append(f"{ended} of {count} were ended")
            outcome.must(ended == count, f"{count - ended} still hang after {patience:.0f} s")
            check_rest(server, outcome)
            with hang(server.port):
                check_stop(server, outcome)
        yield outcome


def _ended_after(opened: list[socket.socket], seconds: float) -> int:
    """Count of connections that the server closed in time."""
    end, left = time.monotonic() + seconds, list(opened)
    for each in left:
        each.setblocking(False)
    while left and time.monotonic() < end:
        left = [each for each in left if not _at_end(each)]
        time.sleep(0.2)
    return len(opened) - len(left)


def _at_end(each: socket.socket) -> bool:
    with suppress(BlockingIOError):
        try:
            while each.recv(1 << 16):
                pass
        except OSError as error:
            return not isinstance(error, BlockingIOError)
        return True
    return False


def endless(start: Start, folder: Path) -> Iterator[Outcome]:
    with start(folder / "endless") as server:
        with watched(server, "headers without end") as outcome:
            taken, reply = sockets.pour(server.port, ENDLESS, HEADER, 300_000_000)
        outcome.sent = taken
        outcome.answers.append("nothing" if reply is None else f"{reply.status} {reply.code}")
        outcome.must(taken < 10_000_000, f"{taken:,} bytes of headers were taken")
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def unread(start: Start, folder: Path) -> Iterator[Outcome]:
    """50 clients request 100 MB and do not read; then the same under SIGTERM."""
    with start(folder / "unread") as server:
        answer = ask(server, "POST", TRACES, large(100))
        address = f"{TRACES}/{json.loads(answer.body)['trace']}"
        wanted = sockets.get(f"{address}/export?format=safetensors")
        hang = partial(sockets.unread, count=50, request=wanted)
        with watched(server, "50 unread replies of 100 MB") as outcome, hang(server.port):
            time.sleep(5)
            answer = small(server, 60)
            outcome.must(answer.status == 200, f"a small question meanwhile got {answer}")
            time.sleep(40)
            answer = ask(server, "POST", ATTENTION, large(100, seed=1) | {"stages": ["output"]})
            outcome.must(answer.status == 200, f"a large one after 45 s got {answer}")
        outcome.sent = 50 * len(wanted)
        outcome.answers.append("cut off")
        check_rest(server, outcome)
        with hang(server.port):
            time.sleep(2)
            check_stop(server, outcome)
    yield outcome


def leaving(start: Start, folder: Path) -> Iterator[Outcome]:
    """18 request 200 MB and disconnect; one waits."""
    with start(folder / "leaving") as server:
        alone = ask(server, "POST", ATTENTION, large(200, seed=99) | {"stages": ["output"]})
        with watched(server, "18 large questions whose callers leave") as outcome:
            for seed in range(18):
                outcome.sent += _ask_and_leave(server, seed)
            real = ask(server, "POST", ATTENTION, large(200, seed=100) | {"stages": ["output"]})
        line = f"a real one {real} in {real.seconds:.1f} s (alone {alone.seconds:.1f} s)"
        outcome.answers.append(line)
        outcome.must(real.status == 200, f"the real one got {real}")
        outcome.must(real.seconds < 2 + 3 * alone.seconds, "the real one waited for them")
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def _ask_and_leave(server: Served, seed: int) -> int:
    """Bytes sent."""
    body = json.dumps(large(200, seed=seed)).encode()
    wanted = sockets.get(ATTENTION, "POST", body)
    with sockets.connect(server.port) as connection:
        connection.sendall(wanted)
        time.sleep(0.1)
    return len(wanted)


def stopping(start: Start, folder: Path) -> Iterator[Outcome]:
    """SIGTERM during 8 large and 8 small questions: each is answered or refused."""
    with start(folder / "stopping", workers=2) as server:
        outcome, answers = Outcome("SIGTERM under 16 questions, 2 workers"), []

        def one(seed: int) -> None:
            size = 150.0 if seed % 2 else 0.05
            body = large(size, seed=seed) | {"stages": ["output"]}
            outcome.sent += len(json.dumps(body))
            answers.append(ask(server, "POST", ATTENTION, body))

        asking = [threading.Thread(target=one, args=(seed,)) for seed in range(16)]
        for thread in asking:
            thread.start()
        time.sleep(0.4)
        outcome.peak = server.peak()
        began = time.monotonic()
        check_stop(server, outcome)
        outcome.seconds = time.monotonic() - began
        for thread in asking:
            thread.join()
        outcome.answers += sorted({str(answer) for answer in answers})
        answered = sum(answer.status == 200 for answer in answers)
        outcome.answers.append(f"{answered} of 16 answered")
        outcome.must(answered >= 8, f"{answered} of 16 answered")
        outcome.must("Traceback" not in server.log.read_text(), "a traceback in the log")
    yield outcome
