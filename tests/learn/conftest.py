"""Shared by tests of the course."""

from tests.shapes import unchecked as unchecked
