"""Bounded storage on disk, shared by processes."""
