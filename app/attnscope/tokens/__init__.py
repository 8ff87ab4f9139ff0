"""Split text into tokens with offsets in code points."""
