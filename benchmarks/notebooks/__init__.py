"""Benchmarks that need the environment of `make test-notebooks`."""
