"""A trace on its way out: which part of it, as JSON, as arrays, as files."""
