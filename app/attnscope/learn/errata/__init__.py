"""Errors of published introductions to attention, with what is right, computed."""

from attnscope.learn.errata.table import DOCUMENTS, Erratum, of_chapter

__all__ = ["DOCUMENTS", "Erratum", "of_chapter"]
