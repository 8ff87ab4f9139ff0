"""Gradient descent on tiny tasks within a request."""
