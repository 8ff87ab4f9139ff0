"""attnscope install: a model out of a package, whole or not at all, and nothing of its code."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import Result

from attnscope import cli
from attnscope.errors import NameTaken
from attnscope.installed import packages
from attnscope.installed.atomic_install import install_folders
from attnscope.installed.catalogue import OFFERS
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import installed_dir, installed_in, models_dir
from tests.commands.runner import Runner
from tests.commands.wheels import MODEL, another_pip, offer, offered

RUN = Runner()


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    offer(offered(folder), folder, monkeypatch)
    return folder


def installed(data: Path, name: str = "tiny") -> Result:
    return RUN.invoke(cli.main, ["install", name, "--data-dir", str(data)])


def left(data: Path) -> list[str]:
    """What lies in the folder of the installed models."""
    folder = installed_dir(data)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_package_becomes_a_model_that_serve_finds(wheels: Path, tmp_path: Path) -> None:
    data = tmp_path / "my data"
    result = installed(data)
    assert result.exit_code == 0, result.output
    folder = installed_dir(data) / "tiny"
    assert sorted(path.name for path in folder.iterdir()) == sorted(MODEL)
    assert left(data) == [".lock", "tiny"]
    for name in MODEL:
        assert (folder / name).read_bytes() == (wheels / "made" / name).read_bytes()
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    registry = ModelRegistry(models_dir(), found=installed_in(data))
    assert list(registry.models)[-1] == "tiny"
    for word in (str(folder), "Licence: Tiny-1.0", " KB", f"attnscope serve --data-dir '{data}'"):
        assert word in result.output


def test_one_that_came_and_cannot_be_opened_is_reported(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a GGUF file may be, of a kind that is not read here."""
    tiny = OFFERS["tiny"]
    weights = {name: target for name, target in tiny.files.items() if target.endswith("tensors")}
    size = (wheels / "made/model.safetensors").stat().st_size
    monkeypatch.setitem(OFFERS, "tiny", tiny._replace(files=weights, bytes=size))
    result = installed(tmp_path)
    assert result.exit_code == 0
    assert "cannot be opened yet" in result.output


def test_what_is_there_is_not_fetched_again(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (installed_dir(tmp_path) / "tiny").mkdir(parents=True)
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    result = installed(tmp_path)
    assert result.exit_code == 0
    assert f"tiny is there already: {installed_dir(tmp_path) / 'tiny'}" in result.output


def test_a_package_that_is_another_than_the_pinned_one_is_refused_by_pip(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OFFERS, "tiny", OFFERS["tiny"]._replace(sha256="0" * 64))
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "tiny-model 1.0 is not the file that was tried" in result.output
    assert left(tmp_path) == [".lock"]


def test_a_pip_that_finds_nothing_ends_with_its_last_line(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "is there a network?" in result.output
    assert "ERROR: No matching distribution found for tiny-model==1.0" in result.output
    assert "Traceback" not in result.output
    assert left(tmp_path) == [".lock"]


@pytest.fixture
def copying_pip(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pip that brings the wheel, whatever it holds."""
    (wheel,) = wheels.glob("*.whl")
    another_pip(wheels, f'cp {wheel} "$9"', monkeypatch)
    return wheels


def test_the_hash_is_looked_at_whatever_pip_did(
    copying_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OFFERS, "tiny", OFFERS["tiny"]._replace(sha256="0" * 64))
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "is not the file that was tried" in result.output
    assert left(tmp_path) == [".lock"]


@pytest.mark.parametrize("change", [{"bytes": 17}, {"files": {"tiny_model/absent": "config.json"}}])
def test_a_package_without_the_files_leaves_nothing(
    copying_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    monkeypatch.setitem(OFFERS, "tiny", OFFERS["tiny"]._replace(**change))
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "does not hold the files of tiny" in result.output
    assert left(tmp_path) == [".lock"]


def test_an_interruption_leaves_nothing(
    copying_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    result = installed(tmp_path)
    assert result.exit_code != 0
    assert left(tmp_path) == [".lock"]


def test_what_a_crash_left_is_cleared_by_the_next(copying_pip: Path, tmp_path: Path) -> None:
    (installed_dir(tmp_path) / ".coming-crashed").mkdir(parents=True)
    assert installed_in(tmp_path) == []
    assert installed(tmp_path).exit_code == 0
    assert left(tmp_path) == [".lock", "tiny"]


def test_a_full_disk_is_said_in_a_sentence(
    copying_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "disk" in result.output
    assert "Traceback" not in result.output
    assert left(tmp_path) == [".lock"]


def test_without_pip_it_says_what_to_do(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "pip is needed" in result.output
    assert left(tmp_path) == [".lock"]


def test_a_disk_that_pip_finds_full_is_said_in_a_sentence(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    another_pip(tmp_path, f"echo '{said}' >&2; exit 1", monkeypatch)
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "disk of the data directory is full" in result.output
    assert left(tmp_path) == [".lock"]


def test_pip_is_not_asked_where_the_disk_has_no_room(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = OFFERS["tiny"]
    free = 2 * tiny.download + tiny.bytes - 1
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "disk of the data directory is full" in result.output
    assert left(tmp_path) == [".lock"]


def test_a_download_beyond_its_size_is_ended(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = OFFERS["tiny"].download + 1
    script = (
        f'mkdir "$TMPDIR/new"; head -c {more} /dev/zero > "$TMPDIR/new/tiny.whl"; exec sleep 60'
    )
    another_pip(tmp_path, script, monkeypatch)
    result = installed(tmp_path)
    assert result.exit_code == 1
    assert "is larger than" in result.output
    assert left(tmp_path) == [".lock"]


def test_one_that_another_command_brings_is_not_brought_twice(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    at = installed_dir(tmp_path) / "tiny"
    with install_folders(at) as (model, _):
        result = installed(tmp_path)
        assert result.exit_code == 1
        assert "tiny is on its way already" in result.output
        (model / "config.json").touch()
    with pytest.raises(NameTaken), install_folders(at):
        pass
    assert left(tmp_path) == [".lock", "tiny"]


def test_where_this_python_has_no_pip_another_does_it(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the container, where pip stands beside the environment and not in it."""
    script = f'echo by another >&2\ncp {wheels}/*.whl "${{9#--dest}}" || exit 3'
    another_pip(tmp_path, script, monkeypatch)
    result = installed(tmp_path)
    assert result.exit_code == 0, result.output
    assert left(tmp_path) == [".lock", "tiny"]


@pytest.mark.parametrize("names", [[], ["nosuch"], ["minilm", "nosuch"]])
def test_a_name_that_is_not_known_is_answered_with_what_there_is(
    names: list[str], tmp_path: Path
) -> None:
    result = RUN.invoke(cli.main, ["install", *names, "--data-dir", str(tmp_path)])
    assert result.exit_code == 2
    for name in OFFERS:
        assert name in result.output
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", OFFERS)
def test_what_is_offered_is_pinned_and_takes_no_code(name: str) -> None:
    one = OFFERS[name]
    assert one.name == name
    assert one.licence
    assert 0 < one.download < 1 << 30
    assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
    assert re.fullmatch(r"\d+(\.\d+)+", one.version)
    assert re.fullmatch(r"[0-9a-f]{64}", one.sha256)
    for target in one.files.values():
        assert Path(target).name == target
        assert Path(target).suffix in {".json", ".safetensors", ".gguf", ".md", ""}
