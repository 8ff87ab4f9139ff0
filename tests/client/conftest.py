"""One client in process, for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import attnscope

SEEDED = {"source": "seeded", "num_layers": 2, "num_kv_heads": 2}
TEXTS = ["The cat sat on the mat", "Die Katze"]


@pytest.fixture(scope="session")
def here() -> Iterator[attnscope.Client]:
    with attnscope.Client() as client:
        yield client


@pytest.fixture(scope="session")
def trace(here: attnscope.Client) -> attnscope.Trace:
    """Two texts, the second padded."""
    return here.trace(TEXTS, SEEDED)
