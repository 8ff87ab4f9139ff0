"""Tang poems from the npm package chinese-poetry (MIT), in the public domain, converted by
OpenCC."""

from __future__ import annotations

import json
from pathlib import Path

from opencc import OpenCC

from training.packages import npm
from training.texts import Split, split

LACUNA = "□"  # a lost character
NOTES = "()（）〖〗{}[]/《》"  # editors' additions


def chinese(folder: Path) -> Split:
    """One poem a line."""
    files = (npm("chinese-poetry", folder) / "dist/quantangshi").glob("poet.tang.*.json")
    poems = [poem for path in sorted(files, key=number) for poem in read(path)]
    return split(OpenCC("t2s").convert("\n".join(poems)))


def number(path: Path) -> int:
    """57000 from poet.tang.57000.json."""
    return int(path.suffixes[-2][1:])


def read(path: Path) -> list[str]:
    """Omits poems with gaps."""
    poems = json.loads(path.read_text(encoding="utf-8"))
    texts = ["".join(poem["paragraphs"]) for poem in poems]
    return [text for text in texts if text and not set(text) & {LACUNA, *NOTES}]
