"""The course: chapters with live figures, and exercises whose answers are computed."""

from attnscope.learn.chapters import BY_NAME, CHAPTERS, PARTS

__all__ = ["BY_NAME", "CHAPTERS", "PARTS"]
