from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
MOST_INSTALLED = 256


def static_dir() -> Path:
    return _folder("static")


def templates_dir() -> Path:
    return _folder("templates")


def models_dir() -> Path:
    return _folder("models")


def installed_dir(data: Path) -> Path:
    return data / "installed"


def installed_in(data: Path) -> list[Path]:
    """At most MOST installed models. Names of incomplete ones begin with a dot."""
    folder = installed_dir(data)
    with suppress(PermissionError):  # the data directory may be unreadable
        found = folder.glob("[!.]*") if folder.is_dir() else ()
        return sorted(islice(found, MOST_INSTALLED))
    return []


def _folder(name: str) -> Path:
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parents[1] / name
