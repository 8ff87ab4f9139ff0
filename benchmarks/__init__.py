"""Scripts run by `make bench`; ratios are of one run."""
