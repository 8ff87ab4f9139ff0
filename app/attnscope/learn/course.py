"""The chapters that a chapter builds on, and the minutes that it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from attnscope.learn.parts import Chapter, Figure, Lines, Prose

NEEDS = {
    "two_products": ("asking",),
    "words_and_back": ("two_products",),
    "next_word": ("words_and_back",),
    "three_matrices": ("words_and_back",),
    "library": ("three_matrices",),
    "shapes": ("three_matrices",),
    "scores": ("three_matrices",),
    "scaling": ("scores",),
    "masks": ("scores",),
    "both_ways": ("masks",),
    "softmax": ("scores",),
    "weighted_sum": ("softmax",),
    "heads": ("weighted_sum",),
    "twenty_lines": ("shapes", "heads"),
    "write_it": ("twenty_lines",),
    "cross": ("heads",),
    "positions": ("scores",),
    "gradients": ("softmax", "heads"),
    "training_step": ("gradients",),
    "layers": ("heads",),
    "decoder_block": ("cross", "layers"),
    "habits": ("layers",),
    "worth": ("habits",),
    "singular_values": ("scaling", "heads"),
    "only_m": ("worth", "singular_values"),
    "initialisation": ("singular_values",),
    "decoding": ("masks", "layers"),
    "costs": ("decoding",),
    "variants": ("heads", "decoding"),
}
# Minutes: English words read a minute with a formula in sight, and per figure, exercise or line.
WORDS, A_FIGURE, AN_EXERCISE = 150, 1, 2


def minutes(chapter: Chapter, words: Mapping[str, str]) -> int:
    """A multiple of five. `words` are the English messages."""
    prose = [part.key for part in chapter.parts if isinstance(part, Prose)]
    read = sum(len(words[f"learn.{chapter.name}.{key}"].split()) for key in prose)
    figures = sum(isinstance(part, Figure) for part in chapter.parts)
    lines = sum(len(part.stages) for part in chapter.parts if isinstance(part, Lines))
    spent = read / WORDS + figures * A_FIGURE + (len(chapter.exercises) + lines) * AN_EXERCISE
    return 5 * math.ceil(spent / 5)
