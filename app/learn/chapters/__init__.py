"""The chapters, in the order they are read."""

from app.learn.chapters import asking, cross, positions, scores, variants
from app.learn.parts import Chapter

CHAPTERS: tuple[Chapter, ...] = (
    asking.CHAPTER, scores.CHAPTER,
    cross.CHAPTER, positions.CHAPTER, variants.CHAPTER,
)  # fmt: skip
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
