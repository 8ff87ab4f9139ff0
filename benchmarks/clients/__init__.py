"""Many clients at once: the connection, what they do, how it is counted."""
