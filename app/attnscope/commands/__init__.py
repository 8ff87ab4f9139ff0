"""Subcommands beside `serve`: install, list and measure models."""
