"""Too many connections: whoever asks nothing gives way, the others are asked to come back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.hostile.sockets import (
    HALF,
    HEALTH,
    ask,
    closed,
    connect,
    descriptors,
    eventually,
    many,
    reply,
)
from tests.server.test_guard import POST, assert_refused, open_connections
from tests.serving import PRELOADED, Running, running

PLACES = 20


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with 20 places, whose deadlines decide nothing here."""
    folder = tmp_path_factory.mktemp("patient")
    with running(PRELOADED, folder, max_connections=PLACES, stop_seconds=4) as server:
        yield server


@pytest.fixture
def patient(one_server: Running) -> Running:
    """The server, when the connections of the test before are gone."""
    assert eventually(lambda: open_connections(one_server) == 0)
    return one_server


def test_who_asks_nothing_gives_way_the_longest_waiting_first(
    patient: Running, subtests: pytest.Subtests
) -> None:
    for name, data in {"silent": b"", "half": HALF, "kept alive": HEALTH}.items():
        with subtests.test(name), many(patient.port, PLACES, data) as waiting:
            for each in waiting if data is HEALTH else []:
                assert reply(each).status == 200
            assert eventually(lambda: ask(patient.port, HEALTH).status == 200)
            assert closed(waiting[0])
            waiting[-1].setblocking(False)
            with pytest.raises(BlockingIOError):
                waiting[-1].recv(1)
        assert eventually(lambda: open_connections(patient) == 0)


def test_where_all_are_answered_the_next_is_asked_to_come_back(patient: Running) -> None:
    # Requests whose bodies are still coming: somebody waits for each.
    begun = POST + b"Content-Length: 40\r\n\r\n" + b'{"text": '
    with many(patient.port, PLACES, begun) as places:
        answer = ask(patient.port, HEALTH)
        assert_refused(answer, 503, "busy")
        assert int(answer.headers["retry-after"]) >= 1
        # Who goes on has lost nothing.
        places[0].sendall(b'"a"}'.ljust(31))
        assert reply(places[0]).status == 200
    assert ask(patient.port, HEALTH).status == 200


def test_who_stops_in_the_middle_of_a_body_gives_way_in_the_end(patient: Running) -> None:
    begun = POST + b"Content-Length: 40\r\n\r\n" + b'{"text": '
    with many(patient.port, PLACES, begun), ExitStack() as tries:
        while True:
            client = tries.enter_context(connect(patient.port))
            client.sendall(HEALTH)
            if (answer := reply(client)).status == 200:
                break
            assert_refused(answer, 503, "busy")


def test_a_thousand_silent_connections_stop_nobody(tmp_path: Path) -> None:
    """More than the descriptors of the process: 256, as `ulimit -n 256` leaves it."""
    script = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))"
    with running(PRELOADED, tmp_path, before=script) as server:
        with many(server.port, 1_100):
            # Those who came a moment ago still have their places.
            assert eventually(lambda: ask(server.port, HEALTH).status == 200)
            for _ in range(20):
                assert ask(server.port, HEALTH).status == 200
            assert descriptors(server.workers[0]) < 200
        assert ask(server.port, HEALTH).status == 200
        assert len(server.log) < 20_000
        assert "Too many open files" not in server.log


def test_a_flood_of_refusals_is_one_line_of_the_log_a_second(patient: Running) -> None:
    begun = POST + b"Content-Length: 40\r\n\r\n" + b'{"text": '
    before, began = len(patient.log.splitlines()), time.monotonic()
    with many(patient.port, PLACES, begun):
        answers = [ask(patient.port, HEALTH) for _ in range(100)]
        seconds = time.monotonic() - began
    ids = {one.headers["x-request-id"] for one in answers if one.status == 503}
    assert 0 < len(ids) <= seconds + 1
    others = PLACES + sum(one.status != 503 for one in answers)
    assert len(patient.log.splitlines()) - before <= len(ids) + others
