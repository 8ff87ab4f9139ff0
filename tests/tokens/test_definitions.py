"""Tokenizer files by structure: each is opened or refused, and a text becomes tokens within the
limits of time and memory, or is refused; no file ends the process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, seed, settings

from attnscope.tokens.library import Effort
from attnscope.tokens.process import MIB, Process
from attnscope.tokens.processes import CUT_BYTES, CUT_SECONDS, OPEN_SECONDS, Definition
from attnscope.tokens.tokenizer_worker import DONE, FAILED, NO_ROW, REFUSED
from tests.definitions import definitions

pytestmark = pytest.mark.slow

TEXTS = ["", "a", "aab  ▁é中\ufdfa", "a" * 3000, " ab" * 700, "\ufdfa" * 500, "é\u0301中" * 300]
MOST = 1 << 20
BYTES_EACH = 4 * 18  # tokens of a character, at most: the bytes of what NFKC makes of U+FDFA
AROUND = 64  # tokens that a tokenizer puts around a text
FILES = 60


@pytest.fixture
def process() -> Iterator[Process]:
    one = Process()
    yield one
    one.end()


@pytest.mark.parametrize(
    ("portion", "files"), [(0, FILES), *(pytest.param(i, 1000, marks=pytest.mark.full)
                                         for i in range(1, 11))]
)  # fmt: skip
def test_a_file_of_any_shape_costs_no_more_than_its_size(
    portion: int, files: int, process: Process
) -> None:
    @seed(portion)
    @settings(max_examples=files, database=None)
    @given(definitions())
    def hold(content: bytes) -> None:
        asked = Definition(content, strange=True)
        became, *values = process.ask(
            "open", OPEN_SECONDS, asked.opening_bytes, True, content=content
        )
        assert became in (DONE, REFUSED, FAILED)
        if became != DONE:
            return
        assert max(values) <= 32 * MIB + 80 * len(content)
        became, *said = process.ask("describe", OPEN_SECONDS, asked.opening_bytes, 0)
        assert became == DONE
        rows, effort = len(said[0]), Effort(*said[-1])
        for text in TEXTS:
            given = text, None, False, MOST, max(rows, 64)
            became, *values = process.ask("encode", CUT_SECONDS, CUT_BYTES, *given)
            assert became in (DONE, FAILED, NO_ROW)
            if became == DONE:
                most = BYTES_EACH * len(text) + AROUND
                assert effort.fewest(len(text)) <= values[0] <= most

    hold()
