"""Text to tokens with offsets in code points."""
