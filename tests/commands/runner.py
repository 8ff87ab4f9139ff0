"""Runs commands without event loop: browser tests keep one in the main thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from typer.testing import CliRunner, Result


class Runner(CliRunner):
    """In its own thread."""

    def invoke(self, *args: Any, **options: Any) -> Result:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(super().invoke, *args, **options).result()
