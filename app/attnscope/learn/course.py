"""Estimated time of a chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping

from attnscope.learn.chapter import Chapter
from attnscope.learn.parts import Lines, Prose

# Words read per minute, minutes per figure, minutes per exercise or line.
WORDS, A_FIGURE, AN_EXERCISE = 150, 1, 2


def minutes(chapter: Chapter, words: Mapping[str, str]) -> int:
    """Rounded up to a multiple of five. `words`: the English messages."""
    prose = [part.key for part in chapter.parts if isinstance(part, Prose)]
    read = sum(len(words[f"learn.{chapter.name}.{key}"].split()) for key in prose)
    lines = sum(len(part.stages) for part in chapter.parts if isinstance(part, Lines))
    spent = (
        read / WORDS
        + len(chapter.figures) * A_FIGURE
        + (len(chapter.exercises) + lines) * AN_EXERCISE
    )
    return 5 * math.ceil(spent / 5)
