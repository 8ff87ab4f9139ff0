"""Clients for the tests here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.client import serving_app

MakeClient = Callable[..., TestClient]


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """With default settings, shared by tests that count nothing."""
    with serving_app(tmp_path_factory.mktemp("data")) as client:
        yield client


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """For `make_client`."""
    return tmp_path / "data"


@pytest.fixture
def make_client(data: Path) -> Iterator[MakeClient]:
    """`make_client(max_tokens=8)`; all of a test share `data`."""
    with ExitStack() as stack:

        def make(folder: Path | None = None, **settings: Any) -> TestClient:
            return stack.enter_context(serving_app(folder or data, **settings))

        yield make
