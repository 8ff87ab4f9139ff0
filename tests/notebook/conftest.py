"""A client in process, shared by shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import attnscope


@pytest.fixture(scope="session")
def client() -> Iterator[attnscope.Client]:
    with attnscope.Client() as client:
        yield client
