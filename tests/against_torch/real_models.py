"""Trained models, installed by `make test-reference`."""

from __future__ import annotations

import sys
from pathlib import Path

from attnscope.resources import installed_dir

DATA = Path(sys.prefix) / "real"


def real(name: str) -> Path:
    """A missing model fails the test: none is skipped."""
    folder = installed_dir(DATA) / name
    assert folder.is_dir(), f"attnscope install {name} --data-dir {DATA}"
    return folder
