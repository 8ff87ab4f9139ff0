"""The command: what it says of itself, and what `serve` hands to the server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app import __version__, cli
from app.settings import Settings

RUN = CliRunner()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What uvicorn was asked to run, in place of running it."""
    calls: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(cli.uvicorn, "run", lambda app, **options: calls.append((app, options)))
    # Set, then taken away: whatever `serve` sets is undone after the test.
    monkeypatch.setenv("ATTNSCOPE_DATA_DIR", "unset")
    monkeypatch.delenv("ATTNSCOPE_DATA_DIR")
    return calls


def test_it_tells_its_version() -> None:
    told = RUN.invoke(cli.main, ["--version"])
    assert told.exit_code == 0
    assert told.output == f"attnscope {__version__}\n"


def test_help_names_every_command() -> None:
    told = RUN.invoke(cli.main, ["--help"], env={"COLUMNS": "120"})
    assert told.exit_code == 0
    assert "serve" in told.output
    assert "every number between the words" in told.output


def test_the_help_of_serve_names_every_option() -> None:
    told = RUN.invoke(cli.main, ["serve", "--help"], env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert told.exit_code == 0
    for option in ("--host", "--port", "--workers", "--data-dir", "127.0.0.1", "8000"):
        assert option in told.output


def test_serve_listens_on_loopback_alone_unless_told_otherwise(
    served: list[tuple[str, dict[str, Any]]],
) -> None:
    told = RUN.invoke(cli.main, ["serve"])
    assert told.exit_code == 0
    assert "http://127.0.0.1:8000" in told.output
    ((app, options),) = served
    assert app == "app.main:create_app"
    assert options["factory"] is True
    assert (options["host"], options["port"], options["workers"]) == ("127.0.0.1", 8000, 1)
    assert options["server_header"] is False


def test_the_options_of_serve_reach_the_server_and_its_workers(
    served: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    options = ["--host", "0.0.0.0", "--port", "8300", "--workers", "2"]
    told = RUN.invoke(cli.main, ["serve", *options, "--data-dir", str(tmp_path)])
    assert told.exit_code == 0
    ((_, given),) = served
    assert (given["host"], given["port"], given["workers"]) == ("0.0.0.0", 8300, 2)
    assert os.environ["ATTNSCOPE_DATA_DIR"] == str(tmp_path)
    assert Settings().data_dir == tmp_path


@pytest.mark.parametrize("options", [["--port", "65536"], ["--workers", "0"], ["--ports", "1"]])
def test_a_wrong_option_is_refused(
    options: list[str], served: list[tuple[str, dict[str, Any]]]
) -> None:
    told = RUN.invoke(cli.main, ["serve", *options])
    assert told.exit_code == 2
    assert served == []
