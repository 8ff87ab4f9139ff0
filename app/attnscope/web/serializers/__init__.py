"""Replies about traces."""
