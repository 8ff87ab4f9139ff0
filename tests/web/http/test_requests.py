"""Reading JSON strictly."""

from __future__ import annotations

import json

import pytest

from attnscope.web.http.problems import InvalidJson
from attnscope.web.http.requests import parse


def test_json_is_read_as_it_is(subtests: pytest.Subtests) -> None:
    cases = [
        "{}",
        "[]",
        "null",
        "3",
        '"猫"',
        '{"a": [1, 2.5, {"b": true}]}',
        " \n{}\t",
        '{"a": 1e-300}',
    ]
    for text in cases:
        with subtests.test(text):
            assert parse(text.encode()) == json.loads(text)


def test_what_json_does_not_know_goes_on_to_be_named() -> None:
    assert parse(rb'{"text": "\ud800"}') == {"text": "\ud800"}
    assert parse(b"[Infinity, -Infinity]") == [float("inf"), float("-inf")]
    assert parse(b"[1e999]") == [float("inf")]


def test_what_is_no_json_is_refused(subtests: pytest.Subtests) -> None:
    cases = [b"", b" ", b"{", b"{'a': 1}", b"[" * 100_000, b"9" * 5000, b'{"a" 1}', b"{}x"]
    for body in cases:
        with subtests.test(body=body):
            with pytest.raises(InvalidJson) as error:
                parse(body)
            assert {"line", "column"} <= set(error.value.values)
    with pytest.raises(InvalidJson) as error:
        parse(b'{"a\xff"}')
    assert error.value.values["byte"] == 3
