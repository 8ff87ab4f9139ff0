"""Models that are on the server: shipped with it, one folder each."""
