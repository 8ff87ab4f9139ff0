"""The notebooks of docs/notebooks run, and show what they say."""

from __future__ import annotations

import json
from pathlib import Path

from tests.notebook.notebooks import FOLDER, run, text_of


def test_the_notebooks_that_need_no_torch_run(live_server: str, tmp_path: Path) -> None:
    names = ["rest", "heads", "induction", "figure"]
    found = run(names, tmp_path, ATTNSCOPE_URL=live_server)
    assert "(' Churchill', 0.98)" in text_of(found["rest"])
    assert "(0.9996" in text_of(found["rest"])  # of head 2, as its text says; head 0: 0.9927
    assert "induction  layer 1, head 0: 0.90" in text_of(found["heads"])
    assert "layer 1, head 2: ' Churchill' has 98% with it, 19% without it" in text_of(
        found["induction"]
    )
    assert (tmp_path / "weights.svg").read_text(encoding="utf-8").startswith("<svg")
    shown = found["heads"][-1]["data"]
    assert shown.keys() >= {"application/vnd.jupyter.widget-view+json", "image/svg+xml"}
    drawn = [
        one for each in found.values() for one in each if "image/svg+xml" in one.get("data", {})
    ]
    assert len(drawn) == 8


def test_notebooks_are_kept_without_outputs() -> None:
    for path in FOLDER.glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
