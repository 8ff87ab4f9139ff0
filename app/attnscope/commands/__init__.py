"""Commands. What would slow --help is imported in functions."""
