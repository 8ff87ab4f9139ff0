"""attnscope trace and attnscope heads: a file, a table, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file

from attnscope import cli
from tests.commands.runner import Runner
from tests.families.made import gpt2

RUN = Runner()


def test_a_trace_of_a_model_here_and_of_a_server(live_server: str, tmp_path: Path) -> None:
    done = RUN.invoke(cli.main, ["trace", "echo", "The cat", "-o", str(tmp_path / "here.npz")])
    assert done.exit_code == 0, done.output
    assert "tokens  2: 'The' ' cat'" in done.output
    assert "max_row_sum_error" in done.output
    assert f"It is in {tmp_path / 'here.npz'}" in done.output
    there = tmp_path / "there.safetensors"
    options = ["--url", live_server, "--json", "--stages", "weights", "-o", str(there)]
    done = RUN.invoke(cli.main, ["trace", "echo", "The cat", *options])
    assert done.exit_code == 0, done.output
    about = json.loads(done.stdout)
    assert about["tokens"] == [["The", " cat"]]
    with np.load(tmp_path / "here.npz") as arrays:
        for name, array in load_file(there).items():
            np.testing.assert_array_equal(arrays[name], array)


def test_heads_are_the_mean_over_the_texts_of_a_file(live_server: str, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("The cat sat on the cat\n\nA dog\n", encoding="utf-8-sig")
    model = '{"source": "seeded", "num_heads": 2}'
    command = ["heads", model, str(texts), "--url", live_server]
    done = RUN.invoke(cli.main, command)
    assert done.exit_code == 0, done.output
    head, *rows = done.output.splitlines()
    assert head.split()[:4] == ["layer", "head", "entropy", "distance"]
    assert len(rows) == 2
    found = json.loads(RUN.invoke(cli.main, [*command, "--json"]).stdout)
    assert [one["text"] for one in found["texts"]] == ["The cat sat on the cat", "A dog"]
    first, second = (one["heads"][1] for one in found["texts"])
    mean = found["mean"][1]
    assert mean["entropy"] == pytest.approx((first["entropy"] + second["entropy"]) / 2)
    assert second["duplicate_token"] is None
    assert mean["duplicate_token"] == first["duplicate_token"]
    piped = RUN.invoke(cli.main, [*command[:2], "-", *command[3:]], input="A dog\n")
    assert piped.exit_code == 0, piped.output
    marked = RUN.invoke(cli.main, [*command[:2], "-", *command[3:]], input="\ufeffA dog\n")
    assert marked.output == piped.output, "a byte order mark is no text"


def test_a_checkpoint_on_the_disk_is_asked_by_its_name(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "tiny")
    done = RUN.invoke(cli.main, ["trace", "tiny", "The animal", "--model", str(folder)])
    assert done.exit_code == 0, done.output
    assert "2 layers × 3 heads" in done.output


def test_a_closed_input_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnscope.commands.heads.sys", SimpleNamespace(stdin=None))
    done = RUN.invoke(cli.main, ["heads", "echo", "-"])
    assert (done.exit_code, done.output) == (1, "- cannot be read: the input is closed\n")


def test_what_goes_wrong_is_a_sentence(live_server: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("Käse", encoding="latin-1")
    there = ["--url", live_server]
    for command, code, said in (
        (["trace", "nope", "a", *there], 1, "No installed model is called “nope”"),
        (["trace", "echo", "a", *there, "-o", "run.txt"], 1, ".txt is no format of files"),
        (["trace", "echo", "a", "--url", "ftp://x"], 1, "is no address of a server"),
        (["trace", "{", "a", *there], 2, "MODEL is no JSON"),
        (["trace", "echo", "a", *there, "--model", "m"], 2, "leave out"),
        (["trace", "echo", "a", *there, "--layer", "9"], 2, "-o is missing"),
        (["heads", "echo", str(tmp_path / "no.txt"), *there], 1, "cannot be read"),
        (["heads", "echo", str(tmp_path / "empty.txt"), *there], 1, "write one a line"),
        (["heads", "echo", str(tmp_path / "other.txt"), *there], 1, "save it as UTF-8"),
        (["trace", "echo", "a", *there, "-o", "a.npz", "--layer", "99"], 1, "layer is 99"),
    ):
        done = RUN.invoke(cli.main, command)
        assert done.exit_code == code, command
        assert said in done.output, command
        assert "Traceback" not in done.output
