"""The commands that load a server and trouble it, in small: they play, and tell what held."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def told(command: str, *arguments: str) -> list[str]:
    """What a command prints that ends well; in a process of its own, as a person runs it."""
    ran = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{command}", *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


def test_a_few_clients_find_every_promise_kept() -> None:
    lines = told("load", "--clients", "4", "--seconds", "2", "--pause", "0.05")
    assert lines[-1] == "every promise held"
    assert any("default question" in line for line in lines)


def test_a_scene_of_trouble_tells_what_came_of_it() -> None:
    lines = told("faults", "--only", "deleted", "--most", "0")
    assert any("| a deleted questions.sqlite |" in line for line in lines)
    assert lines[-1] == "1 of 1 held"
