"""The chapters in reading order."""

from __future__ import annotations

from importlib import import_module
from itertools import chain

from attnscope.learn.chapter import Chapter


def _chapters(*names: str) -> tuple[Chapter, ...]:
    return tuple(import_module(f"{__name__}.{name}").CHAPTER for name in names)


# Part → chapters. The messages of a part are `course.part.<part>`.
PARTS: dict[str, tuple[Chapter, ...]] = {
    "see": _chapters(
        "asking", "two_products", "words_and_back", "next_word", "three_matrices", "library",
        "shapes",
    ),
    "compute": _chapters(
        "scores", "scaling", "masks", "both_ways", "softmax", "weighted_sum", "heads",
        "twenty_lines", "write_it", "cross", "positions",
    ),
    "train": _chapters("gradients", "training_step"),
    "inside": _chapters(
        "layers", "decoder_block", "habits", "worth", "singular_values", "only_m",
        "initialisation",
    ),
    "cost": _chapters("decoding", "costs", "variants"),
}  # fmt: skip
CHAPTERS = tuple(chain.from_iterable(PARTS.values()))
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
