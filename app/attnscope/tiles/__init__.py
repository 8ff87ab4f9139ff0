"""Maps in tiles, reduced for display at every zoom level."""
