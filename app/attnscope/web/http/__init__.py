"""What HTTP itself asks for: identity, limits, doors, counters; outermost first in `main`."""
