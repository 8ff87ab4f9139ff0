"""A pass over a map on a Dask cluster of two workers is the one that is made here, even when one of
them is killed in the middle, or all of it goes away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import numpy as np
import pytest
from distributed import Client
from threadpoolctl import threadpool_limits

from attnscope.attention.map import FactoredMap
from attnscope.attention.masks import Mask
from attnscope.attention.overview import Overview, overview
from attnscope.compute import Cluster
from tests.attention.factored import Kind
from tests.house import ROOT

KIND = Kind(n=12_000, heads=(1, 1), dtype="float32")
START = 60  # seconds to start in, on a busy machine


class Processes(NamedTuple):
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster() -> Iterator[Processes]:
    """A scheduler and two workers, each a process."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[bytes]:
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
            command = [sys.executable, "-m", *words, "--no-dashboard"]
            process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = start(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)
        )
        workers = [
            start(
                "distributed.cli.dask_worker", f"tcp://{address}", "--nthreads", "1", "--no-nanny"
            )
            for _ in range(2)
        ]
        with Client(f"tcp://{address}", timeout=START, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=START)
        yield Processes(f"dask://{address}", scheduler, workers)


def same(ours: Overview, theirs: Overview) -> None:
    assert ours.rows is not None
    assert theirs.rows is not None
    levels = [[*one.level, *one.rows.sums, *one.rows[1:]] for one in (ours, theirs)]
    for a, b in zip(*levels, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("ends", [None, "a worker", "the scheduler"])
def test_the_pass_is_the_one_that_is_made_here(
    ends: str | None, cluster: Processes, caplog: pytest.LogCaptureFixture
) -> None:
    q, k, setting, _ = KIND.parts(Mask(causal=True))
    fmap = FactoredMap(q, k, setting)
    ending = {"a worker": cluster.workers[0], "the scheduler": cluster.scheduler}
    seen: list[int] = []

    def look(done: int, of: int) -> None:
        seen.append(done)
        if ends is not None and done == 3:
            ending[ends].send_signal(signal.SIGKILL)

    executor = Cluster(cluster.address)
    with threadpool_limits(1, "blas"):  # as the server and the workers do
        here = overview(fmap, "weights", 0, 0, 32)
        there = overview(fmap, "weights", 0, 0, 32, tick=look, executor=executor)
    executor.shutdown()
    same(here, there)
    assert seen == [*range(1, len(seen) + 1)]
    left = [record for record in caplog.records if "this machine does" in record.getMessage()]
    assert len(left) == (ends == "the scheduler")
