"""MathML in prose: √d_k, W_Q, e^z; arrays such as w_q keep their names."""

from __future__ import annotations

import re

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
    """`html` is escaped text or markup, whose tags stay."""
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
