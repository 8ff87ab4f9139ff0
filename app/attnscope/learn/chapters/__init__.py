"""The chapters in reading order."""

from itertools import chain

from attnscope.learn.chapters import (
    asking,
    both_ways,
    costs,
    cross,
    decoder_block,
    decoding,
    gradients,
    habits,
    heads,
    initialisation,
    layers,
    library,
    masks,
    next_word,
    only_m,
    positions,
    scaling,
    scores,
    shapes,
    singular_values,
    softmax,
    three_matrices,
    training_step,
    twenty_lines,
    two_products,
    variants,
    weighted_sum,
    words_and_back,
    worth,
    write_it,
)
from attnscope.learn.parts import Chapter

# Part of the course → its chapters. The messages of a part are `course.part.<part>`.
PARTS: dict[str, tuple[Chapter, ...]] = {
    "see": (
        asking.CHAPTER, two_products.CHAPTER, words_and_back.CHAPTER, next_word.CHAPTER,
        three_matrices.CHAPTER, library.CHAPTER, shapes.CHAPTER,
    ),
    "compute": (
        scores.CHAPTER, scaling.CHAPTER, masks.CHAPTER, both_ways.CHAPTER, softmax.CHAPTER,
        weighted_sum.CHAPTER, heads.CHAPTER, twenty_lines.CHAPTER, write_it.CHAPTER, cross.CHAPTER,
        positions.CHAPTER,
    ),
    "train": (gradients.CHAPTER, training_step.CHAPTER),
    "inside": (
        layers.CHAPTER, decoder_block.CHAPTER, habits.CHAPTER, worth.CHAPTER,
        singular_values.CHAPTER, only_m.CHAPTER, initialisation.CHAPTER,
    ),
    "cost": (decoding.CHAPTER, costs.CHAPTER, variants.CHAPTER),
}  # fmt: skip
CHAPTERS = tuple(chain.from_iterable(PARTS.values()))
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
