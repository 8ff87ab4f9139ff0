"""Imports that would slow --help are inside functions."""
