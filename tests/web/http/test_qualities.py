"""The headers that say what a caller wants are read the same way, all three."""

from __future__ import annotations

import pytest

from attnscope.web.http.accept_headers import parse_qualities


def test_every_range_has_its_quality(subtests: pytest.Subtests) -> None:
    cases = [
        ("", [("", 1.0)]),
        ("text/html", [("text/html", 1.0)]),
        ("zh-CN,zh;q=0.9, EN ; q=0.8", [("zh-cn", 1.0), ("zh", 0.9), ("en", 0.8)]),
        ("application/json;charset=utf-8;q=0.5", [("application/json", 0.5)]),
        ("gzip;q=0, br;q=1.000", [("gzip", 0.0), ("br", 1.0)]),
        ("a;q=2, b;q=-1, c;q=nan, d;q=0.1234, e;q=, f;Q=0.5", [
            ("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 0.0), ("e", 0.0), ("f", 0.5),
        ]),
    ]  # fmt: skip
    for header, ranges in cases:
        with subtests.test(header):
            assert parse_qualities(header) == ranges
