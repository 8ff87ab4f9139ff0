"""The course: chapters with live figures, and computed exercises."""

from attnscope.learn.chapters import BY_NAME, CHAPTERS, PARTS

__all__ = ["BY_NAME", "CHAPTERS", "PARTS"]
