from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

from attnscope.web.pages.inline_math import typeset_inline

CELL = re.compile(r"\[\[cell:(\w+),(\d+),(\d+)\|([^\[\]]+)\]\]")
LIT = r'<button type="button" class="speaks" data-cell="\1,\2,\3">\4</button>'
TEXT = ("prose", "formula")


def typeset_with_cells(text: str) -> Markup:
    """`[[cell:scores,3,1|words]]` becomes a button that highlights the cell."""
    return Markup(typeset_inline(CELL.sub(LIT, str(escape(text)))))


def passages(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group each figure of cards with the prose after it."""
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
    return part["kind"] in TEXT and not part.get("apart", False)
