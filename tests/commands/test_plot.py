"""attnscope plot: a picture of a head, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

from attnscope import cli
from tests.commands.runner import Runner

RUN = Runner()


def test_a_head_and_every_head_become_pictures(live_server: str, tmp_path: Path) -> None:
    command = ["plot", "echo", "The cat sat", "--url", live_server]
    figure = tmp_path / "figure.svg"
    done = RUN.invoke(cli.main, [*command, "--layer", "1", "--head", "2", "-o", str(figure)])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"It is in {figure}, ")
    assert "weights, layer 1, head 2" in figure.read_text(encoding="utf-8")
    every = [
        *command,
        "--all",
        "--stage",
        "q",
        "--json",
        "-o",
        str(tmp_path / "{layer}-{head}.png"),
    ]
    done = RUN.invoke(cli.main, every)
    assert done.exit_code == 0, done.output
    pictures = json.loads(done.stdout)["pictures"]
    assert len(pictures) == 8
    assert pictures[5] == {
        "layer": 1, "head": 1, "stage": "q", "file": str(tmp_path / "1-1.png"),
        "rows": 3, "cols": 32,
    }  # fmt: skip
    assert all(Path(each["file"]).read_bytes()[1:4] == b"PNG" for each in pictures)


def test_what_cannot_be_drawn_is_said(live_server: str, tmp_path: Path) -> None:
    command = ["plot", "echo", "The cat", "--url", live_server, "-o"]
    for wrong, exit_code, said in (
        (["figure.gif"], 2, ".svg or .png"),
        (["a.svg", "--all"], 2, "head-{layer}-{head}.svg"),
        (["{head}.svg", "--all", "--head", "1"], 2, "leave out --layer and --head"),
        ([str(tmp_path / "a.svg"), "--layer", "9"], 1, "invalid_request"),
        ([str(tmp_path / "a.svg"), "--stage", "w_q"], 1, "no figure of"),
        ([str(tmp_path / "none" / "a.svg")], 1, "No such file"),
    ):
        done = RUN.invoke(cli.main, [*command, *wrong])
        assert done.exit_code == exit_code, done.output
        assert said in " ".join(done.output.replace("│", "").split()), done.output
