"""What is kept: on disk and whole, bounded, shared by processes; and the memory before it."""
