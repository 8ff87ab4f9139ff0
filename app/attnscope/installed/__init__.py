"""Models on the server."""
