"""The command: what it says of itself, and what `serve` hands to the server."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from attnscope import __version__, cli
from attnscope.resources import installed_in
from attnscope.settings import Settings
from tests.families.made import gpt2
from tests.installed.adapters.made import adapter

pytestmark = pytest.mark.slow

RUN = CliRunner()
ROOT = Path(__file__).resolve().parent.parent
Served = tuple[str, int, int]  # host, port, workers


class Socket(NamedTuple):
    host: str
    port: int

    def getsockname(self) -> tuple[str, int]:
        return self


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """What was to be served, in place of serving it."""
    calls: list[Served] = []

    def listeners(host: str, port: int) -> list[Socket]:
        return [Socket(host, port)]

    def serve_on(
        settings: Settings, sockets: list[Socket], workers: int, answering: Callable[[], None]
    ) -> int:
        calls.append((sockets[0].host, sockets[0].port, workers))
        answering()
        return 0

    monkeypatch.setattr(cli, "listeners", listeners)
    monkeypatch.setattr(cli, "serve_on", serve_on)
    # Set, then taken away: whatever `serve` sets is undone after the test.
    for name in ("HOST", "DATA_DIR", "MODELS", "ADAPTERS", "ACCEPT", "GET_MODELS"):
        monkeypatch.setenv(f"ATTNSCOPE_{name}", "unset")
        monkeypatch.delenv(f"ATTNSCOPE_{name}")
    return calls


def test_it_prints_its_version() -> None:
    result = RUN.invoke(cli.main, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"attnscope {__version__}\n"


def test_it_is_a_module_too() -> None:
    command = [sys.executable, "-m", "attnscope", "--help"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Usage: attnscope" in result.stdout


def test_help_names_every_command() -> None:
    result = RUN.invoke(cli.main, ["--help"], env={"COLUMNS": "120"})
    assert result.exit_code == 0
    for command in ("serve", "install", "models", "fetch", "trace", "heads"):
        assert command in result.output
    assert "every number between the words" in result.output


def test_the_help_of_serve_names_every_option() -> None:
    result = RUN.invoke(cli.main, ["serve", "--help"], env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert result.exit_code == 0
    for option in ("--host", "--port", "--workers", "--data-dir", "127.0.0.1", "8000"):
        assert option in result.output


def test_serve_listens_on_loopback_alone_by_default(
    served: list[Served],
) -> None:
    result = RUN.invoke(cli.main, ["serve"])
    assert result.exit_code == 0
    assert "http://127.0.0.1:8000" in result.output
    assert served == [("127.0.0.1", 8000, 1)]


def test_the_options_of_serve_reach_the_server_and_its_workers(
    served: list[Served], tmp_path: Path
) -> None:
    options = ["--host", "0.0.0.0", "--port", "8300", "--workers", "2"]
    result = RUN.invoke(cli.main, ["serve", *options, "--data-dir", str(tmp_path)])
    assert result.exit_code == 0
    assert served == [("0.0.0.0", 8300, 2)]
    assert os.environ["ATTNSCOPE_DATA_DIR"] == str(tmp_path)
    assert Settings().data_dir == tmp_path
    assert Settings().host == "0.0.0.0"


@pytest.mark.parametrize(("option", "wanted"), [("--get-models", "on"), ("--no-get-models", "off")])
def test_an_option_says_whether_visitors_get_models(
    option: str, wanted: str, served: list[Served]
) -> None:
    assert RUN.invoke(cli.main, ["serve", option]).exit_code == 0
    assert Settings().get_models == wanted


def test_the_environment_says_where_to_listen_and_an_option_says_it_louder(
    served: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNSCOPE_HOST", "127.0.0.2")
    assert "http://127.0.0.2:8000" in RUN.invoke(cli.main, ["serve"]).output
    assert RUN.invoke(cli.main, ["serve", "--host", "127.0.0.3"]).exit_code == 0
    assert [host for host, _, _ in served] == ["127.0.0.2", "127.0.0.3"]


@pytest.mark.parametrize("options", [["--port", "65536"], ["--workers", "0"], ["--ports", "1"]])
def test_a_wrong_option_is_refused(options: list[str], served: list[Served]) -> None:
    result = RUN.invoke(cli.main, ["serve", *options])
    assert result.exit_code == 2
    assert served == []


def test_an_installed_model_that_cannot_be_opened_is_reported_and_the_rest_is_served(
    served: list[Served], tmp_path: Path
) -> None:
    (tmp_path / "installed/broken").mkdir(parents=True)
    result = RUN.invoke(cli.main, ["serve", "--data-dir", str(tmp_path)])
    assert result.exit_code == 0
    assert served
    assert f"{tmp_path}/installed/broken is left out: " in result.output
    assert "holds no model" in result.output


def test_a_key_is_accepted_where_a_model_has_it(served: list[Served], tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny", attn_temperature=2.0)
    result = RUN.invoke(cli.main, ["serve", "--model", str(folder)])
    assert result.exit_code == 2
    assert "attn_temperature" in result.output
    accepted = ["serve", "--model", str(folder), "--accept", "attn_temperature"]
    assert RUN.invoke(cli.main, accepted).exit_code == 0
    assert len(served) == 1
    result = RUN.invoke(cli.main, [*accepted, "--accept", "nothing"])
    assert result.exit_code == 2
    assert "keep none from being opened: nothing" in result.output


def test_adapters_are_served_with_their_base(served: list[Served], tmp_path: Path) -> None:
    base, tuned = gpt2(tmp_path / "tiny"), adapter(tmp_path / "tuned")
    other = adapter(tmp_path / "other", r=0)
    options = ["serve", "--model", str(base), "--adapter", str(tuned)]
    assert RUN.invoke(cli.main, options).exit_code == 0
    assert Settings().adapters == [tuned]
    assert len(served) == 1
    result = RUN.invoke(cli.main, [*options, "--adapter", str(other)])
    assert result.exit_code == 2
    assert result.output.startswith("--adapter: r is 0 in adapter_config.json")
    for name in ("ATTNSCOPE_MODELS", "ATTNSCOPE_ADAPTERS"):
        os.environ.pop(name)
    result = RUN.invoke(cli.main, ["serve", "--adapter", str(tuned)])
    assert result.exit_code == 2
    assert "was made for “someone/tiny”" in result.output


def test_a_cluster_needs_what_speaks_to_it(
    served: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNSCOPE_COMPUTE", "dask://127.0.0.1:8786")
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    result = RUN.invoke(cli.main, ["serve"])
    assert result.exit_code == 2
    assert "pip install 'attnscope[dask]'" in result.output
    monkeypatch.setattr(cli, "find_spec", lambda name: object())
    assert RUN.invoke(cli.main, ["serve"]).exit_code == 0
    assert len(served) == 1


def test_an_address_that_is_taken_is_reported_without_a_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = RUN.invoke(cli.main, ["serve", "--port", str(taken.getsockname()[1])])
    assert result.exit_code == 1
    assert "Cannot listen on 127.0.0.1" in result.output
    assert "Traceback" not in result.output


def test_an_ipv6_address_is_printed_as_browsers_read_it(served: list[Served]) -> None:
    result = RUN.invoke(cli.main, ["serve", "--host", "::1"])
    assert "on http://[::1]:8000" in result.output
    assert served == [("::1", 8000, 1)]


def test_a_setting_that_means_nothing_is_named(
    served: list[Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNSCOPE_SLOTS", "none")
    result = RUN.invoke(cli.main, ["serve"])
    assert result.exit_code == 2
    assert "ATTNSCOPE_SLOTS: Input should be a valid integer" in result.output
    assert served == []


def test_a_setting_with_rules_of_its_own_says_what_it_should_be(
    served: list[Served], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    wrong = {
        "HOST": ("", "Input should be an address such as 127.0.0.1"),
        "ALLOWED_HOSTS": ("http://a.example", "Input should be names such as"),
        "RATE_LIMIT": ("often", "Input should be a number /"),
        "FRAME_ANCESTORS": ("'self';", "Input should be 'none', or 'self' and"),
        "COMPUTE": ("10.0.0.7:8786", "Input should be dask://host:port"),
        "TRUSTED_PROXIES": ("proxy", "'proxy' does not appear to be an IPv4 or IPv6 network"),
    }
    for name, (value, message) in wrong.items():
        with subtests.test(name), monkeypatch.context() as patch:
            patch.setenv(f"ATTNSCOPE_{name}", value)
            answer = RUN.invoke(cli.main, ["serve"])
            assert answer.exit_code == 2
            assert f"ATTNSCOPE_{name}: {message}" in answer.output
    assert served == []


def test_help_is_there_at_once_without_the_web_framework() -> None:
    program = (
        "import sys; import attnscope.cli;"
        "print([n for n in ('fastapi', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout == b"[]\n"


def test_a_data_directory_of_another_user_is_a_sentence(
    served: list[Served], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "installed").mkdir()
    monkeypatch.setenv("ATTNSCOPE_DATA_DIR", str(tmp_path))
    stat, scandir = Path.stat, os.scandir

    def ours(path: Any) -> Any:
        if str(path).startswith(str(tmp_path)):
            raise PermissionError(errno.EACCES, "Permission denied")
        return path

    monkeypatch.setattr(Path, "stat", lambda path, **how: stat(ours(path), **how))
    monkeypatch.setattr(os, "scandir", lambda path: scandir(ours(path)))
    for command in (["serve"], ["models"], ["install", "minilm"], ["trace", "echo", "a"]):
        result = RUN.invoke(cli.main, command)
        said = f"ATTNSCOPE_DATA_DIR: {tmp_path} may not be read.\n"
        assert (result.exit_code, result.output) == (2, said)
    assert installed_in(tmp_path) == []
    assert served == []
