"""Runs notebooks of docs/notebooks in a kernel of this environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/notebooks"
SECONDS = 120


def run(names: list[str], folder: Path, **environment: str) -> dict[str, list[Any]]:
    """{name: outputs} of notebooks that run one after the other in one kernel: it takes longer to
    start than they do. Raises what a cell raises."""
    notebook = nbformat.v4.new_notebook()
    cells = {name: nbformat.read(FOLDER / f"{name}.ipynb", 4).cells for name in names}
    notebook.cells = [cell for each in cells.values() for cell in each]
    path = os.pathsep.join([str(ROOT / "app"), os.environ.get("PYTHONPATH", "")])
    client = NotebookClient(
        notebook, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**os.environ, **environment, "PYTHONPATH": path})
    return {
        name: [output for cell in each for output in cell.get("outputs", ())]
        for name, each in cells.items()
    }


def text_of(outputs: list[Any]) -> str:
    """What cells print and return."""
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    )
