"""The page in a notebook cell, without a port."""
