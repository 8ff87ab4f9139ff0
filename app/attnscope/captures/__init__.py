"""Captures: attention arrays computed by other programs."""
