"""The pages: templates, and what goes with them. One file a page, or a few that belong together."""
