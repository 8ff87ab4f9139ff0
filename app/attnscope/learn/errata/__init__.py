"""Errors in published introductions to attention, with computed corrections."""

from attnscope.learn.errata.table import DOCUMENTS, Erratum, of_chapter

__all__ = ["DOCUMENTS", "Erratum", "of_chapter"]
