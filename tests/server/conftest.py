"""Servers with short deadlines, one per module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.serving import PRELOADED, Running, running

QUICK: dict[str, Any] = {
    "header_seconds": 1,
    "keep_alive_seconds": 1.2,
    "write_seconds": 1,
    "stop_seconds": 4,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A second for everything, 40 connections."""
    folder = tmp_path_factory.mktemp("quick")
    with running(PRELOADED, folder, max_connections=40, **QUICK) as one:
        yield one
