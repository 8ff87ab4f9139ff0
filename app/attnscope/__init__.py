"""attnscope: every number between the words and their attention."""

__version__ = "0.3.0"
