"""REST, version 1: one file a noun."""
