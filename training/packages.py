"""Packages with texts, downloaded once."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path


def debian(name: str, folder: Path) -> Path:
    folder = folder.resolve()
    unpacked = folder / name
    if not unpacked.exists():
        _run(["apt-get", "download", name], folder)
        _run(["dpkg", "-x", str(newest(folder, f"{name}_*.deb")), str(unpacked)], folder)
    return unpacked


def npm(name: str, folder: Path) -> Path:
    folder = folder.resolve()
    unpacked = folder / name
    if not unpacked.exists():
        _run(["npm", "pack", "--silent", name], folder)
        with tarfile.open(newest(folder, f"{name}-*.tgz")) as packed:
            packed.extractall(unpacked, filter="data")
    return unpacked / "package"


def newest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime)


def _run(command: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
