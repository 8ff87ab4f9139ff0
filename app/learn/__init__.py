"""Chapters with live figures, and exercises whose answers the engine computes."""

from app.learn.chapters import BY_NAME, CHAPTERS

__all__ = ["BY_NAME", "CHAPTERS"]
