"""The Python client: the REST API as numpy arrays, from a server or from this process."""
