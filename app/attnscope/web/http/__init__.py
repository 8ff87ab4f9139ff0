"""Middleware, limits and errors of HTTP; `main` applies them, the outermost first."""
