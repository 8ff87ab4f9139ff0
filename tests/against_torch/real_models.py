"""Trained models, which `make test-reference` installs by their names."""

from __future__ import annotations

import sys
from pathlib import Path

from attnscope.resources import installed_dir

DATA = Path(sys.prefix) / "real"


def real(name: str) -> Path:
    """The folder of a model; that it is not there fails the test, and skips none."""
    folder = installed_dir(DATA) / name
    assert folder.is_dir(), f"attnscope install {name} --data-dir {DATA}"
    return folder
