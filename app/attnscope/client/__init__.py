"""The Python client: the REST API as numpy arrays."""
