"""The chapters, in the order they are read."""

from app.learn.chapters import asking, scores
from app.learn.parts import Chapter

CHAPTERS: tuple[Chapter, ...] = (asking.CHAPTER, scores.CHAPTER)
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
