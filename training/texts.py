"""English text from Debian packages.

The King James Bible (bible-kjv with bible-kjv-text), Jane Austen (r-cran-janeaustenr), and
WordNet (wordnet-base): 17 million characters, the last twentieth of each held out.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from training.packages import debian

REFERENCE = re.compile(r"^\w+:\d+ ", re.MULTILINE)  # Ge1:1
EXAMPLE = re.compile(r'"([^"]+)"')  # in a definition of WordNet's
HELD_OUT = 20  # one part in
NO_STRING = -1  # R's missing string
# R's serialisation, then a vector of strings.
STRINGS = b"\x00\x00\x00\x10"
STRING_FLAGS = 4


class Split(NamedTuple):
    train: str
    held_out: str


def english(folder: Path) -> Split:
    return joined([split(text) for text in (bible(folder), austen(folder), *wordnet(folder))])


def joined(parts: list[Split]) -> Split:
    return Split("\n".join(p.train for p in parts), "\n".join(p.held_out for p in parts))


def split(text: str) -> Split:
    at = len(text) - len(text) // HELD_OUT
    return Split(text[:at], text[at:])


def bible(folder: Path) -> str:
    """A verse a line."""
    program = debian("bible-kjv", folder) / "usr/bin/bible"
    data = debian("bible-kjv-text", folder) / "usr/lib"
    command = [str(program), "-f", "-p", str(data), "gen1:1-rev22:21"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return REFERENCE.sub("", printed).strip()


def austen(folder: Path) -> str:
    """A paragraph a line."""
    data = debian("r-cran-janeaustenr", folder) / "usr/lib/R/site-library/janeaustenr/data"
    novels = (paragraphs(strings(each)) for each in inflated((data / "Rdata.rdb").read_bytes()))
    return "\n".join(novels)


def wordnet(folder: Path) -> list[str]:
    data = debian("wordnet-base", folder) / "usr/share/wordnet"
    parts = ("noun", "verb", "adj", "adv")
    return [glosses((data / f"data.{part}").read_text(encoding="utf-8")) for part in parts]


def glosses(data: str) -> str:
    """A definition or example a line (wndb(5): after a bar, definitions between semicolons,
    examples in quotation marks)."""
    found: list[str] = []
    for line in data.splitlines():
        _, bar, gloss = line.partition(" | ")
        defined = (part.strip() for part in EXAMPLE.sub("", gloss).split(";"))
        found += ["; ".join(filter(None, defined)), *EXAMPLE.findall(gloss)] if bar else []
    return "\n".join(found)


def inflated(data: bytes) -> Iterator[bytes]:
    """Each is its length in 4 bytes, and a zlib stream."""
    while data:
        stream = zlib.decompressobj()
        yield stream.decompress(data[4:])
        data = stream.unused_data


def strings(serialised: bytes) -> list[str]:
    """Flags and length before each, big-endian (R Core Team, "R internals", section 1.8)."""
    at = serialised.index(STRINGS) + len(STRINGS)
    count, at = int.from_bytes(serialised[at : at + 4]), at + 4
    found = []
    for _ in range(count):
        start = at + STRING_FLAGS + 4
        length = int.from_bytes(serialised[at + STRING_FLAGS : start], signed=True)
        at = start + max(length, 0)
        found.append("" if length == NO_STRING else serialised[start:at].decode())
    return found


def paragraphs(lines: list[str]) -> str:
    """A paragraph a line."""
    blocks = "\n".join(line.strip() for line in lines).split("\n\n")
    return "\n".join(" ".join(block.split()) for block in blocks if block.strip())
