"""A cluster that is not there keeps nobody waiting: this machine computes."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attnscope.attention.masks import Mask
from attnscope.attention.overview import overview
from attnscope.compute import LARGE, PATIENCE, Cluster, executor_at
from tests.attention.factored import Kind


class Client:
    """A cluster as its client shows it, as good as a test wants it."""

    status = "running"

    def __init__(self) -> None:
        self.pieces: list[Future[Any]] = []
        self.scattered: list[np.ndarray] = []
        self.closed = False

    def get_executor(self, retries: int) -> Client:
        return self

    def submit(self, task: Any, *args: Any) -> Future[Any]:
        self.pieces.append(Future())
        return self.pieces[-1]

    def scatter(self, array: np.ndarray, **options: Any) -> str:
        self.scattered.append(array)
        return "where it is"

    def close(self, timeout: float) -> None:
        self.closed = True


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"dask://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """What dask.distributed connects to."""
    there = Client()
    library = SimpleNamespace(Client=lambda address, **options: there)
    monkeypatch.setitem(sys.modules, "distributed", library)  # type: ignore[arg-type]
    return there


def cluster_at(address: str, patience: float = PATIENCE) -> Cluster:
    return Cluster(address, patience=patience, look=0.001)


def test_where_nothing_is_said_this_machine_computes() -> None:
    assert executor_at("") is None
    assert isinstance(executor_at("dask://127.0.0.1:8786"), Cluster)


def test_without_a_cluster_the_pass_is_made_here_and_that_is_said_once(
    nowhere: str, caplog: pytest.LogCaptureFixture
) -> None:
    fmap, _ = Kind(n=1300, heads=(1, 1)).layer(Mask(causal=True))
    with caplog.at_level(logging.WARNING, "attnscope.compute"):
        there = overview(fmap, "weights", 0, 0, 16, executor=Cluster(nowhere, connect=0.5))
    here = overview(fmap, "weights", 0, 0, 16)
    for ours, theirs in zip(there.level, here.level, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    (record,) = caplog.records
    assert nowhere.replace("dask", "tcp") in record.getMessage()


def test_a_large_array_is_sent_once_and_while_it_is_needed(client: Client, nowhere: str) -> None:
    cluster = cluster_at(nowhere)
    large, small = np.zeros(LARGE, np.uint8), np.zeros(3)
    for _ in range(2):
        cluster.submit(max, large, small)
    assert [one is large for one in client.scattered] == [True]
    client.scattered.clear()
    del large
    assert cluster._sent == {}


@pytest.mark.parametrize("wrong", [RuntimeError("a worker died"), None])
def test_a_piece_that_fails_or_is_lost_is_done_here(
    client: Client, nowhere: str, wrong: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = cluster_at(nowhere)
    pieces = [cluster.submit(max, i, 1) for i in range(3)]
    client.pieces[0].set_result(7)
    if wrong is None:
        client.status = "closed"
    else:
        client.pieces[1].set_exception(wrong)
    with caplog.at_level(logging.WARNING, "attnscope.compute"):
        assert [pieces[0].result(), pieces[1].result()] == [7, 1]
        client.status = "closed"
        assert pieces[2].result() == 2
    assert len(caplog.records) == 1
    assert cluster.submit(max, 3, 4).result() == 4
    assert len(client.pieces) == 3


def test_a_piece_that_never_comes_is_done_here(client: Client, nowhere: str) -> None:
    assert cluster_at(nowhere, patience=0.01).submit(max, 1, 2).result() == 2
    assert len(client.pieces) == 1


def test_what_is_wrong_with_the_piece_itself_is_raised_and_the_cluster_kept(
    client: Client, nowhere: str, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = cluster_at(nowhere)
    piece = cluster.submit(int, "no number")
    client.pieces[0].set_exception(ValueError("of the worker"))
    with pytest.raises(ValueError, match="no number"):
        piece.result()
    assert not caplog.records
    cluster.submit(int, "1")
    assert len(client.pieces) == 2
    assert not client.closed


def test_a_piece_that_nobody_waits_for_is_called_back(client: Client, nowhere: str) -> None:
    assert cluster_at(nowhere).submit(max, 1, 2).cancel()
    assert client.pieces[0].cancelled()


def test_letting_go_closes_the_client(client: Client, nowhere: str) -> None:
    cluster = cluster_at(nowhere)
    cluster.submit(max, 1, 2)
    cluster.shutdown()
    assert client.closed
    assert cluster.submit(max, 1, 2).result() == 2
    assert len(client.pieces) == 1
