"""Which content coding a caller takes."""

from __future__ import annotations

import pytest

from attnscope.web.http.codings import coding_of

WANTED = [
    (None, None),
    ("", None),
    ("gzip", "gzip"),
    ("X-GZIP", "gzip"),
    ("gzip, deflate", "gzip"),
    ("gzip, deflate, br, zstd", "br"),
    ("br;q=0.5, gzip;q=0.8", "gzip"),
    ("br;q=0, gzip", "gzip"),
    ("gzip;q=0", None),
    ("gzip ; q=0.000", None),
    ("gzip;q=2", None),
    ("gzip;q=x", None),
    ("deflate, zstd", None),
    ("*", "br"),
    ("*;q=0.1, br;q=0", "gzip"),
    ("*;q=0", None),
    ("identity", None),
    ("identity, gzip", "gzip"),
    ("identity;q=1, gzip;q=0.5", None),
    ("identity;q=0, gzip;q=0.1", "gzip"),
    (",;,q=;," * 1000 + "gzip", "gzip"),
]


def test_a_caller_gets_the_coding_it_wants_most(subtests: pytest.Subtests) -> None:
    for accepted, coding in WANTED:
        with subtests.test(accepted=accepted):
            assert coding_of(accepted) == coding
