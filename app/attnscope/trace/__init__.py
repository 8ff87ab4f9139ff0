"""Questions and their traces."""
