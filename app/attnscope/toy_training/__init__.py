"""Gradient descent on tiny tasks within a request: problems, model, steps."""
