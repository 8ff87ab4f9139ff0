"""English training text from Debian packages.

The King James Bible (bible-kjv with bible-kjv-text), the six novels of Jane Austen
(r-cran-janeaustenr), and the definitions and example sentences of WordNet (wordnet-base), 17
million characters. The last twentieth of each source is held out.
"""

from __future__ import annotations

import re
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from training.packages import debian

REFERENCE = re.compile(r"^\w+:\d+ ", re.MULTILINE)  # Ge1:1 before a verse
EXAMPLE = re.compile(r'"([^"]+)"')  # in a definition of WordNet's
HELD_OUT = 20  # one part in
NO_STRING = -1  # the length of R's missing string
# R's serialisation: format, versions and the name of the encoding, then a vector of strings.
STRINGS = b"\x00\x00\x00\x10"
STRING_FLAGS = 4


class Split(NamedTuple):
    """Training text, and held-out text."""

    train: str
    held_out: str


def english(folder: Path) -> Split:
    """The sources, one after the other; packages are kept in the folder."""
    return joined([split(text) for text in (bible(folder), austen(folder), *wordnet(folder))])


def joined(parts: list[Split]) -> Split:
    """The training parts joined, and the held-out parts joined."""
    return Split("\n".join(p.train for p in parts), "\n".join(p.held_out for p in parts))


def split(text: str) -> Split:
    """The last twentieth of a text is held out."""
    at = len(text) - len(text) // HELD_OUT
    return Split(text[:at], text[at:])


def bible(folder: Path) -> str:
    """A verse a line, as the package's own program prints them."""
    program = debian("bible-kjv", folder) / "usr/bin/bible"
    data = debian("bible-kjv-text", folder) / "usr/lib"
    command = [str(program), "-f", "-p", str(data), "gen1:1-rev22:21"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return REFERENCE.sub("", printed).strip()


def austen(folder: Path) -> str:
    """A paragraph a line, novel after novel."""
    data = debian("r-cran-janeaustenr", folder) / "usr/lib/R/site-library/janeaustenr/data"
    novels = (paragraphs(strings(each)) for each in inflated((data / "Rdata.rdb").read_bytes()))
    return "\n".join(novels)


def wordnet(folder: Path) -> list[str]:
    """The definitions of nouns, verbs, adjectives and adverbs, with their examples."""
    data = debian("wordnet-base", folder) / "usr/share/wordnet"
    parts = ("noun", "verb", "adj", "adv")
    return [glosses((data / f"data.{part}").read_text(encoding="utf-8")) for part in parts]


def glosses(data: str) -> str:
    """A definition a line and an example sentence a line, of a file of WordNet's (its manual page
    wndb: after a bar, definitions between semicolons and examples between quotation marks)."""
    found: list[str] = []
    for line in data.splitlines():
        _, bar, gloss = line.partition(" | ")
        defined = (part.strip() for part in EXAMPLE.sub("", gloss).split(";"))
        found += ["; ".join(filter(None, defined)), *EXAMPLE.findall(gloss)] if bar else []
    return "\n".join(found)


def inflated(data: bytes) -> Iterator[bytes]:
    """The objects of an R database: each is its length in 4 bytes, and a zlib stream."""
    while data:
        stream = zlib.decompressobj()
        yield stream.decompress(data[4:])
        data = stream.unused_data


def strings(serialised: bytes) -> list[str]:
    """A vector of strings in R's binary serialisation: flags and length before each, big-endian
    (R Core Team, "R internals", section 1.8)."""
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
    """Lines joined up to the next empty one, a paragraph a line."""
    blocks = "\n".join(line.strip() for line in lines).split("\n\n")
    return "\n".join(" ".join(block.split()) for block in blocks if block.strip())
