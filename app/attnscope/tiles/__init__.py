"""Tiles and thumbnails of maps."""
