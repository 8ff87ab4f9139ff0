"""Bounded storage on disk."""
