"""Models on the server: shipped ones, one folder each, and checkpoints on its disk."""
