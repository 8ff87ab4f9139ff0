"""A chapter's parts as passages: a figure, and the text that speaks of it and lights its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

CELL = re.compile(r"\[\[cell:(\w+),(\d+),(\d+)\|([^\[\]]+)\]\]")
LIT = r'<button type="button" class="speaks" data-cell="\1,\2,\3">\4</button>'
TEXT = ("prose", "formula")  # what stands beside a figure


def lit(text: str) -> Markup:
    """A sentence where `[[cell:scores,3,1|these words]]` can be pressed: they light that cell."""
    return Markup(CELL.sub(LIT, str(escape(text))))


def passages(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each has a figure of cards and the text after it, as far as the next part that is neither
    prose nor a formula, or to prose that stands apart; or no figure, and what is read from edge
    to edge."""
    found: list[dict[str, Any]] = []
    for part in parts:
        if part["kind"] == "figure" and part["cards"]:
            found.append({"figure": part, "parts": []})
        elif found and (_beside(part) or not found[-1]["figure"]):
            found[-1]["parts"].append(part)
        else:
            found.append({"figure": None, "parts": [part]})
    return found


def _beside(part: dict[str, Any]) -> bool:
    """Whether a part stands beside the figure that comes before it."""
    return part["kind"] in TEXT and not part.get("apart", False)
