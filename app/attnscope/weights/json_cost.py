"""Upper bound of a JSON text's memory when parsed, from its bytes."""

from __future__ import annotations

import numpy as np

# Bytes that CPython, orjson and pydantic take at most for each; sums of sys.getsizeof, doubled
# where a list or dict reallocates while it grows.
SLOT = 48  # in its list, in orjson's tree, and in the arrays made from it
NUMBER = 32
LIST = 88
OBJECT = 72
NAME = 256  # in its dict, in the dict before it grew, and in the cache of names
TEXT = 80
WIDEST = 4  # bytes of a character, in a string with one emoji
PART = 1 << 20  # bytes scanned at a time


def cost_of_json(body: bytes) -> int:
    """Upper bound of memory in bytes for parsing a JSON text and for the result, without its own
    bytes.

    Takes some milliseconds per mebibyte. Punctuation inside strings counts too, so it may be too
    high.
    """
    commas, brackets, braces, colons, quotes = _counted(body, b',[{:"')
    slots = commas + brackets + braces + 1
    texts = quotes // 2 + 1
    numbers = max(0, slots - brackets - braces - texts)
    width = 1 if body.isascii() and b"\\u" not in body else WIDEST
    objects = SLOT * slots + NUMBER * numbers + LIST * brackets + OBJECT * braces
    # Three times: Python's parser needs the text as one string, which it makes in two steps.
    return objects + NAME * colons + TEXT * texts + 3 * width * len(body)


def _counted(body: bytes, signs: bytes) -> list[int]:
    """Occurrences of each byte in `signs`."""
    found = np.zeros(len(signs), np.int64)
    for start in range(0, len(body), PART):
        part = np.frombuffer(body, np.uint8, min(PART, len(body) - start), start)
        found += [np.count_nonzero(part == sign) for sign in signs]
    return [int(count) for count in found]
