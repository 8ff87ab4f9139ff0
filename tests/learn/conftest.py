"""What the tests of the course share."""

from tests.shapes import unchecked as unchecked
