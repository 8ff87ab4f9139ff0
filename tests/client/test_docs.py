"""The programs of docs/python.md run as they are written, one after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_programs_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(compile(block, str(PAGE), "exec"), names)
    names["client"].close()
    trace = names["trace"]
    assert trace.tokens[0][:5] == ["W", "inst", "on", " Churchill", " met"]
    assert trace.layers[1].weights[0, 2].shape == (14, 14)
    assert (tmp_path / "run.safetensors").stat().st_size > 10_000
    assert capsys.readouterr().out.startswith("empty_text There is no token here, ")
