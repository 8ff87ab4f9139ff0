"""Attention arrays of other programs."""
