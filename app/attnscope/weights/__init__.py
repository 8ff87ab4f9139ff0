"""Weights by name from every source, as `attnscope.attention.parameters`."""
