"""The shapes of arrays, checked as annotated, in every call of a function of a module.

A function within a function is made anew by each call, and making its checks takes a hundred times
as long as most calls: what it receives and returns passes through its outer function's anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from beartype import beartype
from jaxtyping import config

F = TypeVar("F", bound=Callable[..., object])


def checked(function: F) -> F:
    """The function with its annotations held, where it stands in a module or in a class."""
    return function if "<locals>" in function.__qualname__ else beartype(function)


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """No checks while a test runs: for modules, and the conftest of folders, that import it. They
    ask the engine thousands of times, which tests of its own have held to its shapes."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
