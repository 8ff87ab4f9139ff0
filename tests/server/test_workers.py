"""Several workers: they count together, and a start leaves nothing of the one before."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from app.serving.counting import counting_together
from app.web.http.metrics import FOLDER
from tests.hostile.sockets import PATIENCE, ask, eventually, get
from tests.serving import COMMAND, Running, running
from tests.web.http.test_metrics import told

HEALTH_COUNT = 'attnscope_requests_total{method="GET",route="/healthz",status="200"}'


def numbers(server: Running) -> dict[str, float]:
    return told(ask(server.port, get("/metrics")).body.decode())


def workers_of(server: Running) -> list[int]:
    notes = server.folder / "data/run"
    return [int(path.name.partition("-")[0]) for path in notes.glob("*.flight")]


def test_whoever_answers_metrics_answers_for_all(tmp_path: Path) -> None:
    with running(COMMAND, tmp_path, "--workers", "2") as server:
        assert eventually(lambda: len(workers_of(server)) == 2)
        begun = numbers(server)[HEALTH_COUNT]
        for n in range(1, 21):
            assert ask(server.port, get("/healthz")).status == 200
            # A request is counted when its answer is out.
            assert eventually(lambda n=n: numbers(server)[HEALTH_COUNT] == begun + n)
            assert numbers(server)[HEALTH_COUNT] == begun + n
        assert eventually(lambda: numbers(server)["attnscope_connections_limit"] == 2 * 512)


def test_a_dead_worker_is_no_more_but_what_it_counted_stays(tmp_path: Path) -> None:
    with running(COMMAND, tmp_path, "--workers", "2") as server:
        assert eventually(lambda: len(workers_of(server)) == 2)
        for _ in range(20):
            ask(server.port, get("/healthz"))
        assert eventually(lambda: numbers(server)[HEALTH_COUNT] >= 20)
        before = numbers(server)[HEALTH_COUNT]
        first, second = workers_of(server)
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: second in (now := workers_of(server)) and first not in now
                          and len(now) == 2)  # fmt: skip
        assert eventually(lambda: numbers(server)["attnscope_connections_limit"] == 2 * 512)
        assert numbers(server)[HEALTH_COUNT] == before


def test_every_start_counts_from_nought_and_clears_up_after_the_killed(tmp_path: Path) -> None:
    with running(COMMAND, tmp_path, "--workers", "2") as server:
        assert eventually(lambda: len(workers_of(server)) == 2)
        given = Path(f"/proc/{workers_of(server)[0]}/environ").read_text().split("\0")
        (left,) = [Path(one.partition("=")[2]) for one in given if one.startswith(FOLDER)]
        assert left.exists()
        server.process.kill()
        server.process.wait(PATIENCE)
        assert eventually(lambda: not workers_of(server))
    with counting_together() as folder:
        assert not left.exists()
        assert os.listdir(folder) == ["lock"]
        with counting_together():
            assert folder.exists()
    assert not folder.exists()
