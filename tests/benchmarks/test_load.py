"""The commands that load a server and trouble it, in small: they play, and tell what held."""

from __future__ import annotations

from typing import BinaryIO

import pytest

from benchmarks import faults, load, served
from benchmarks.clients.tally import Tally
from tests.preloaded import Forked


class Preloaded(served.Served):
    """A server under measurement that is forked from a process which has imported the app."""

    def _begin(self, words: list[str], sink: BinaryIO) -> Forked:
        session = "import os; os.setsid()"
        return Forked(words, self.folder, self.log, self._environment, session)


@pytest.fixture(autouse=True)
def preloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (load, faults):
        monkeypatch.setattr(command, "Served", Preloaded)


def test_a_few_clients_find_every_promise_kept(capsys: pytest.CaptureFixture[str]) -> None:
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
    assert load.main(["--clients", "2", "--seconds", "0.2", "--only", *works]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "every promise held"
    for kind in works.values():
        assert any(line.startswith(kind) for line in lines), kind


def test_where_nobody_uploads_no_upload_is_missed() -> None:
    tally = Tally()
    assert load.uploads_answered(tally) == 1
    tally.kinds["upload"].given_up = 1
    assert load.uploads_answered(tally) == 0


@pytest.mark.full
def test_a_scene_of_trouble_says_what_came_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert faults.main(["--only", "deleted", "--most", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("| a deleted questions.sqlite |" in line for line in lines)
    assert lines[-1] == "1 of 1 held"
