"""Gradient descent on tiny tasks."""
