"""Several workers: they count together, and a start leaves nothing of the one before."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnscope.serving import MEMORY, PREFIX, counter_folder
from tests.hostile.sockets import PATIENCE, ask, connect, eventually, get
from tests.server.test_flights import BEGUN, ids_of_the_dead
from tests.server.test_one_worker import question
from tests.server.test_server import listening
from tests.serving import COMMAND, PRELOADED, Running, running
from tests.web.http.test_metrics import values_of

# Of a route that `running` does not ask: its last probe may be counted late.
READY_COUNT = 'attnscope_requests_total{method="GET",route="/readyz",status="200"}'


def numbers(server: Running) -> dict[str, float]:
    return values_of(ask(server.port, get("/metrics")).body.decode())


def holder_of(server: Running, request_id: bytes) -> int | None:
    """The worker that has the request in hand."""
    for path in (server.folder / "data/run").glob("*.flight"):
        if request_id in path.read_bytes():
            return int(path.name.partition("-")[0])
    return None


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of two workers that are both there."""
    with running(COMMAND, tmp_path_factory.mktemp("pair"), "--workers", "2") as server:
        assert eventually(lambda: len(server.workers) == 2)
        yield server


def ready_count(server: Running) -> float:
    return numbers(server).get(READY_COUNT, 0.0)


def test_whoever_answers_metrics_answers_for_all(pair: Running) -> None:
    begun = ready_count(pair)
    for n in range(1, 21):
        assert ask(pair.port, get("/readyz")).status == 200
        # A request is counted when its answer is out.
        assert eventually(lambda n=n: ready_count(pair) == begun + n)
        assert ready_count(pair) == begun + n
    assert eventually(lambda: numbers(pair)["attnscope_connections_limit"] == 2 * 512)


def test_a_dead_worker_is_replaced_what_it_counted_stays_and_its_ids_are_logged(
    pair: Running,
) -> None:
    begun = ready_count(pair)
    for _ in range(20):
        ask(pair.port, get("/readyz"))
    assert eventually(lambda: ready_count(pair) >= begun + 20)
    before = ready_count(pair)
    both = set(pair.workers)
    with connect(pair.port) as client:
        client.sendall(BEGUN)
        assert eventually(lambda: holder_of(pair, b"in-hand") is not None)
        killed = holder_of(pair, b"in-hand")
        os.kill(killed, signal.SIGKILL)
        assert eventually(lambda: ids_of_the_dead(pair) == [["in-hand"]])
    (stayed,) = both - {killed}
    assert eventually(lambda: stayed in (now := pair.workers) and killed not in now
                      and len(now) == 2)  # fmt: skip
    assert eventually(lambda: numbers(pair)["attnscope_connections_limit"] == 2 * 512)
    assert ready_count(pair) == before


def test_kills_that_follow_each_other_leave_somebody_to_answer(pair: Running) -> None:
    for turn in range(4):
        (worker, *_) = pair.workers
        os.kill(worker, signal.SIGKILL)
        assert eventually(lambda worker=worker: worker not in pair.workers)
        assert question(pair, turn).status == 200
    assert eventually(lambda: len(pair.workers) == 2)


def test_a_killed_supervisor_leaves_no_worker_and_the_next_start_clears_up(tmp_path: Path) -> None:
    with running(PRELOADED, tmp_path, "--workers", "2", stop_seconds=4) as server:
        assert eventually(lambda: len(server.workers) == 2)
        # A worker writes its counters a moment after it is there.
        counters = f"{PREFIX}*/*_{server.workers[0]}.db"
        assert eventually(lambda: any(MEMORY.glob(counters)))
        (left,) = {path.parent for path in MEMORY.glob(counters)}
        server.process.kill()
        server.process.wait(PATIENCE)
        assert eventually(lambda: not server.workers and not listening(server.port))
    with counter_folder() as folder:
        assert not left.exists()
        assert os.listdir(folder) == ["lock"]
        with counter_folder():
            assert folder.exists()
    assert not folder.exists()
