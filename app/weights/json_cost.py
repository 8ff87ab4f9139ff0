"""What a JSON text may grow to in memory, told from its bytes alone."""

from __future__ import annotations

import numpy as np

# Bytes that CPython, orjson and pydantic take at most for each of these; the sums of
# sys.getsizeof, doubled where a list or an object moves while it grows.
SLOT = 48  # a value's place in its list, in orjson's own tree, and in the arrays made of it
NUMBER = 32
LIST = 88
OBJECT = 72
NAME = 256  # a name's place in its object, in the object before it grew, and among the known names
TEXT = 80
WIDEST = 4  # bytes of a character, in a text that holds one emoji
PART = 1 << 20  # bytes that are looked at together


def cost_of_json(body: bytes) -> int:
    """At most so many bytes of memory are taken while a JSON text is read, and by what comes of
    it; its own bytes are not among them.

    It takes some milliseconds for a mebibyte, and is too high rather than too low: signs inside a
    text count as if they stood outside.
    """
    commas, brackets, braces, colons, quotes = _counted(body, b',[{:"')
    slots = commas + brackets + braces + 1
    texts = quotes // 2 + 1
    numbers = max(0, slots - brackets - braces - texts)
    width = 1 if body.isascii() and b"\\u" not in body else WIDEST
    objects = SLOT * slots + NUMBER * numbers + LIST * brackets + OBJECT * braces
    # Three times: Python's reader wants the whole as one text first, and makes that in two steps.
    return objects + NAME * colons + TEXT * texts + 3 * width * len(body)


def _counted(body: bytes, signs: bytes) -> list[int]:
    """How often each sign comes."""
    found = np.zeros(len(signs), np.int64)
    for start in range(0, len(body), PART):
        part = np.frombuffer(body, np.uint8, min(PART, len(body) - start), start)
        found += [np.count_nonzero(part == sign) for sign in signs]
    return [int(count) for count in found]
