"""Runs notebooks of docs/notebooks."""

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
    """{name: outputs}, in one kernel, since starting takes longest. Raises errors of cells."""
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
    """Printed and returned."""
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    )
