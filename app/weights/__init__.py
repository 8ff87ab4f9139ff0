"""Weights by name from every source, as `app.attention.parameters`."""
