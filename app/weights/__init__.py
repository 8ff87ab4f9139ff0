"""Names to arrays, from anywhere, always ending in `app.attention.parameters`."""
