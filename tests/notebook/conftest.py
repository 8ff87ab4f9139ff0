"""The client in process that calls of `show` share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import attnscope
from attnscope.notebook.show import shared_client


@pytest.fixture(scope="session")
def client() -> Iterator[attnscope.Client]:
    with shared_client() as client:
        yield client
    shared_client.cache_clear()
