"""Middleware, limits and errors of HTTP."""
