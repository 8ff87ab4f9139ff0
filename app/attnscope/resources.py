"""Where pages, scripts, texts and models lie: inside the installed package, or in a checkout."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
MOST = 256  # models in one folder


def static_dir() -> Path:
    """The folder of styles, scripts and locale files."""
    return _folder("static")


def templates_dir() -> Path:
    """The folder of page templates."""
    return _folder("templates")


def models_dir() -> Path:
    """The folder of the models that are shipped, a folder each."""
    return _folder("models")


def installed_dir(data: Path) -> Path:
    """The folder of the models that were brought into a data directory."""
    return data / "installed"


def installed_in(data: Path) -> list[Path]:
    """Those models, of which not more than MOST are looked at; what begins with a dot is not there
    yet."""
    folder = installed_dir(data)
    found = folder.glob("[!.]*") if folder.is_dir() else ()
    return sorted(islice(found, MOST))


def _folder(name: str) -> Path:
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parents[1] / name
