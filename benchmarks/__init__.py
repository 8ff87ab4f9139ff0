"""Short scripts, run by `make bench`; each prints its figures, ratios from one run."""
