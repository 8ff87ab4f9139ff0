from __future__ import annotations

import numpy as np

# Bytes in CPython, orjson or pydantic, whichever takes most; doubled where lists and dicts grow.
SLOT = 48  # in a list, orjson's tree, arrays
NUMBER = 32
LIST = 88
OBJECT = 72
NAME = 256  # in dicts, and the cache of names
TEXT = 80
WIDEST = 4  # bytes per character in a text with an emoji
PART = 1 << 20  # bytes at once


def cost_of_json(body: bytes) -> int:
    """Upper bound in bytes. Takes milliseconds per MiB."""
    commas, brackets, braces, colons, quotes = _counted(body, b',[{:"')
    slots = commas + brackets + braces + 1
    texts = quotes // 2 + 1
    numbers = max(0, slots - brackets - braces - texts)
    width = 1 if body.isascii() and b"\\u" not in body else WIDEST
    objects = SLOT * slots + NUMBER * numbers + LIST * brackets + OBJECT * braces
    # Python's parser creates each text twice.
    return objects + NAME * colons + TEXT * texts + 3 * width * len(body)


def _counted(body: bytes, signs: bytes) -> list[int]:
    found = np.zeros(len(signs), np.int64)
    for start in range(0, len(body), PART):
        part = np.frombuffer(body, np.uint8, min(PART, len(body) - start), start)
        found += [np.count_nonzero(part == sign) for sign in signs]
    return [int(count) for count in found]
