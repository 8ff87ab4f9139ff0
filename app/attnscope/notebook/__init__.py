"""The page in a cell of a notebook, without a port."""
