"""What can be read off a trace: how heads behave."""
