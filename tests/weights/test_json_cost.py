"""What a JSON text may grow to is known before it is read."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
import pytest

from attnscope.weights.formats.limits import refuse_duplicates
from attnscope.weights.json_cost import PART, cost_of_json

LENGTH = 2**16


def listed(unit: str, first: str = "0,") -> bytes:
    """A list of one thing, over and over."""
    return f"[{first}{unit * (LENGTH // len(unit.encode()))}0]".encode()


def named() -> bytes:
    return json.dumps({f"{i:x}": 1 for i in range(LENGTH // 12)}).encode()


DOCUMENTS = {
    "nothing": b"",
    "one number": b"1",
    "an onion": b"[" * 900 + b"]" * 900,
    "numbers": listed("1e9,"),
    "short numbers": listed("1,"),
    "long numbers": listed("9" * 19 + ","),
    "empty lists": listed("[],"),
    "lists of one": listed("[1],"),
    "empty objects": listed("{},"),
    "objects of one": listed('{"":0},'),
    "objects of objects": listed('{"a":{"b":{}}},'),
    "many names": named(),
    "short texts": listed('"ab",'),
    "texts of a sign": listed('"😀",'),
    "one emoji after much": json.dumps("a" * LENGTH + "😀", ensure_ascii=False).encode(),
    "one escaped emoji after much": json.dumps("a" * LENGTH + "😀").encode(),
    "Chinese": json.dumps("猫" * LENGTH, ensure_ascii=False).encode(),
    "escapes": json.dumps('"' * LENGTH).encode(),
    "spaces": b"[" + b" " * LENGTH + b"]",
}


def traced(read: Callable[[], Any]) -> tuple[int, int]:
    """The bytes of what comes out, and the most that there were meanwhile."""
    tracemalloc.start()
    try:
        kept = read()
        found = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return found


def test_no_reader_takes_more_than_the_estimate(subtests: pytest.Subtests) -> None:
    for what, body in DOCUMENTS.items():
        if what == "nothing":
            continue
        with subtests.test(what):
            cost = cost_of_json(body)
            # Its own tree is reserved whole, touched in part.
            kept, _ = traced(partial(orjson.loads, body))
            text = body.decode()
            _, most = traced(partial(json.loads, text))
            _, hooked = traced(partial(json.loads, text, object_pairs_hook=refuse_duplicates))
            assert max(kept, most, hooked) <= cost + 4096  # the readers themselves


def test_the_estimate_is_in_proportion_to_the_length(subtests: pytest.Subtests) -> None:
    for what in DOCUMENTS:
        with subtests.test(what):
            assert cost_of_json(DOCUMENTS[what]) <= 200 * len(DOCUMENTS[what]) + 1000


def test_a_matrix_of_ordinary_numbers_has_no_large_estimate() -> None:
    body = orjson.dumps([[0.1234567890123456] * 100] * 100)
    assert cost_of_json(body) < 10 * len(body)


def test_signs_are_counted_beyond_the_first_part() -> None:
    assert cost_of_json(b" " * PART + b"[]") > cost_of_json(b" " * (PART + 2)) + 80
