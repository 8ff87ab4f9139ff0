"""Where pages, scripts, texts and models lie: inside the installed package, or in a checkout."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def static_dir() -> Path:
    """The folder of styles, scripts and locale files."""
    return _folder("static")


def templates_dir() -> Path:
    """The folder of page templates."""
    return _folder("templates")


def models_dir() -> Path:
    """The folder of the models that are shipped, a folder each."""
    return _folder("models")


def _folder(name: str) -> Path:
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name
