"""Analyses of a trace."""
