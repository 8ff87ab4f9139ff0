"""Small models of our own: PyTorch trains them here, and the app serves what is written."""
