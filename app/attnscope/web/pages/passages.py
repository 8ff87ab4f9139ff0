"""MathML in prose: √d_k, W_Q, e^z; arrays such as w_q keep their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

# Base and subscript: d_k, W_Q, q_{i}.
LETTER = r"[A-Zacdehk-vxyz∇σθ]"
SUBSCRIPT = r"model|layers|kv|in|out|QKV|[A-Za-z]{1,2}|\d{1,2}"
NAME = rf"{LETTER}_(?:{SUBSCRIPT})"
FORMULA = re.compile(
    rf"(?<![A-Za-z0-9_.\[])(?:√(?P<root>{NAME}|\d+)"
    rf"|(?P<base>{LETTER})_(?P<sub>{SUBSCRIPT})"
    r"|(?P<power>[A-Za-z])\^(?P<exponent>[A-Za-z]|\d+(?:\.\d+)?))(?![A-Za-z0-9_(\[])"
)
TAG = re.compile(r"(<[^>]*>)")


def typeset_inline(html: str) -> str:
    """Typeset formulas in escaped text or markup, not in tags."""
    parts = TAG.split(html)
    return "".join(part if part.startswith("<") else FORMULA.sub(_math, part) for part in parts)


def _math(found: re.Match[str]) -> str:
    if root := found["root"]:
        base, _, sub = root.partition("_")
        inner = f"<msqrt>{_indexed(base, sub) if sub else f'<mn>{root}</mn>'}</msqrt>"
    elif found["base"]:
        inner = _indexed(found["base"], found["sub"])
    else:
        inner = f"<msup>{_atom(found['power'])}{_atom(found['exponent'])}</msup>"
    return f'<math translate="no">{inner}</math>'


def _indexed(base: str, sub: str) -> str:
    return f"<msub>{_atom(base)}{_atom(sub)}</msub>"


def _atom(text: str) -> str:
    if text[0].isdigit():
        return f"<mn>{text}</mn>"
    return f"<mi>{text}</mi>" if len(text) == 1 else f"<mtext>{text}</mtext>"


CELL = re.compile(r"\[\[cell:(\w+),(\d+),(\d+)\|([^\[\]]+)\]\]")
LIT = r'<button type="button" class="speaks" data-cell="\1,\2,\3">\4</button>'
TEXT = ("prose", "formula")


def typeset_with_cells(text: str) -> Markup:
    """`[[cell:scores,3,1|words]]` becomes a button that highlights the cell."""
    return Markup(typeset_inline(CELL.sub(LIT, str(escape(text)))))


def passages(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Group each figure of cards with the prose and formulas after it."""
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
