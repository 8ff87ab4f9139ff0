"""Subcommands beside `serve`."""
