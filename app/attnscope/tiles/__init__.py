"""Maps in tiles for display."""
