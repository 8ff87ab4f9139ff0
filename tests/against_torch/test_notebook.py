"""The notebook of docs/notebooks that needs torch runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.notebook.notebooks import run, text_of


def test_the_notebook_of_a_module_of_ones_own_runs(tmp_path: Path) -> None:
    found = run(["capture"], tmp_path)["capture"]
    said = text_of(found)
    assert "weights [2, 1, 4, 6, 6], q, k, v" in said
    error = re.search(r"\((\d\S*?),", said)
    assert error is not None
    assert float(error[1]) < 1e-6
    assert "image/svg+xml" in found[-1]["data"]
