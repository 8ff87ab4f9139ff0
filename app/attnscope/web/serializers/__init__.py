"""Traces as replies: selection, JSON, arrays, files."""
