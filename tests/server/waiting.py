"""Concurrent clients of one server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest


def at_once(subtests: pytest.Subtests, clients: Mapping[str, Callable[[], None]]) -> None:
    """Names each client that fails."""
    with ThreadPoolExecutor(len(clients)) as pool:
        running = {name: pool.submit(client) for name, client in clients.items()}
        for name, one in running.items():
            with subtests.test(name):
                one.result()
