"""The commands that load a server and trouble it, in small: they play, and tell what held."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.clients.tally import Tally
from benchmarks.load import uploads_answered

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
    """What clients draw by lot in two seconds depends on how busy the machine is: here they do
    the same each time."""
    works = {
        "default": "default question",
        "cell": "cell",
        "upload": "question to an upload",
        "whole_model": "predictions of it",
        "page": "static file",
        "leaver": "left in the middle",
    }
    lines = told("load", "--clients", "2", "--seconds", "0.2", "--only", *works)
    assert lines[-1] == "every promise held"
    for kind in works.values():
        assert any(line.startswith(kind) for line in lines), kind


def test_where_nobody_uploads_no_upload_is_missed() -> None:
    tally = Tally()
    assert uploads_answered(tally) == 1
    tally.kinds["upload"].given_up = 1
    assert uploads_answered(tally) == 0


def test_a_scene_of_trouble_tells_what_came_of_it() -> None:
    lines = told("faults", "--only", "deleted", "--most", "0")
    assert any("| a deleted questions.sqlite |" in line for line in lines)
    assert lines[-1] == "1 of 1 held"
