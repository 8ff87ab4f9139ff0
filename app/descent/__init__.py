"""Gradient descent on tiny tasks, while somebody watches: the problems, the model, its steps."""
