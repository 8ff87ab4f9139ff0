"""Weights by name."""
