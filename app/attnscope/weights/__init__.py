"""Weights by name from every source."""
