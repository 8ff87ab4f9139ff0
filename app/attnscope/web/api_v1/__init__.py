"""REST API, version 1."""
