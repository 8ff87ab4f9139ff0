"""Attention arrays of other programs, without the model."""
