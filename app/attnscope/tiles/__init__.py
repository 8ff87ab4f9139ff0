"""Maps in tiles: what the eye can use of them, at every size."""
