"""A question (model + text + options) and its trace."""
