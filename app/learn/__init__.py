"""The course: chapters with live figures, and exercises whose answers are computed."""

from app.learn.chapters import BY_NAME, CHAPTERS

__all__ = ["BY_NAME", "CHAPTERS"]
