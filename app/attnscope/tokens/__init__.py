"""Text to tokens with their offsets; offsets count code points."""
