"""Heatmaps as SVG with labels, or PNG of the cells."""

SUFFIXES = (".svg", ".png")
