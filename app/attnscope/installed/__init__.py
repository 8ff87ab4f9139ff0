"""Models on the server: shipped ones, and checkpoints on disk."""
