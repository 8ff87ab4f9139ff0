"""Train the shipped models with PyTorch; the app serves the files written here."""
