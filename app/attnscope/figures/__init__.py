"""Heatmaps as files: SVG with names and numbers, PNG with the cells alone."""

SUFFIXES = (".svg", ".png")
