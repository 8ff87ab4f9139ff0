"""Packages with a small model, and pip limited to their folder."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path
from select import select
from zipfile import ZipFile

import pytest

from attnscope.installed import packages
from attnscope.installed.catalogue import OFFERS, Offer
from tests.families.made import gpt2

PATIENCE = 60.0  # seconds
METADATA = (
    "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nLicense: Tiny-1.0\n"
    "Requires-Dist: nowhere-to-be-found\n"
)
INFO = "tiny_model-1.0.dist-info"
MODEL = ("config.json", "tokenizer.json", "model.safetensors")


def offered(folder: Path) -> Offer:
    """A wheel with a small GPT-2; importing it would fail."""
    made = gpt2(folder / "made")
    wheel = folder / "tiny_model-1.0-py3-none-any.whl"
    texts = {
        "tiny_model/__init__.py": "raise AssertionError('imported')",
        f"{INFO}/METADATA": METADATA,
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/RECORD": "",
    }
    with ZipFile(wheel, "w") as archive:
        for name in MODEL:
            archive.write(made / name, f"tiny_model/model/{name}")
        for name, text in texts.items():
            archive.writestr(name, text)
    files = {f"tiny_model/model/{name}": name for name in MODEL}
    size = sum((made / name).stat().st_size for name in MODEL)
    digest = sha256(wheel.read_bytes()).hexdigest()
    return Offer(
        "tiny", "A tiny GPT-2", "tiny-model", "1.0", digest, wheel.stat().st_size, files, size,
        "Tiny-1.0", f"{INFO}/METADATA",
    )  # fmt: skip


def offer(tiny: Offer, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only `tiny` can be installed, without index."""
    for known in list(OFFERS):
        monkeypatch.delitem(OFFERS, known)
    monkeypatch.setitem(OFFERS, tiny.name, tiny)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


def another_pip(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell script as pip; its argument $9 is the folder of the wheel."""
    other = folder / "pip"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda name: str(other))


class Gate:
    """Stops a script that stands in for pip, with half of the wheel written."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        begun, go = folder / "begun", folder / "go"
        for fifo in (begun, go):
            os.mkfifo(fifo)
        # For reading and writing, so that opening never blocks.
        self._begun, self._go = (os.open(fifo, os.O_RDWR) for fifo in (begun, go))
        half = wheel.stat().st_size // 2
        self.script = (
            f'mkdir "$TMPDIR/part"; head -c {half} {wheel} > "$TMPDIR/part/{wheel.name}"\n'
            f"echo > {begun}; read x < {go}\n"
            f'cp {wheel} "$9"'
        )

    def wait(self) -> None:
        """Until pip has begun."""
        assert select([self._begun], [], [], PATIENCE)[0], "pip was never asked"

    def open(self) -> None:
        os.write(self._go, b"go\n")

    def close(self) -> None:
        for descriptor in (self._begun, self._go):
            os.close(descriptor)
