from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, repeat

from attnscope.analysis.merged_words import groups_of
from attnscope.trace.plan import Plan
from attnscope.trace.stages import BY_NAME, PARAMETER_NAMES

Names = Sequence[str]

LONGEST = 40  # characters, since each cell repeats its names
QUOTED = re.compile(r'[",\r\n]')


class TokenNames:
    """Names of tokens as CSV fields (RFC 4180)."""

    def __init__(self, planned: Plan, merged: bool) -> None:
        self._planned = planned
        self._merged = merged
        self._of = cache(self._found)

    def at(self, layer: int, stage: str, index: Sequence[int]) -> tuple[str, Iterator[str]]:
        """The row's name, and an infinite iterator of the columns'; "" where there is none."""
        if stage in PARAMETER_NAMES:
            return "", repeat("")
        rows, cols = (self._of(layer, axis, index[0]) for axis in BY_NAME[stage].axes[-2:])
        row = index[-1]
        return rows[row] if row < len(rows) else "", chain(cols, repeat(""))

    def of(self, layer: int, axis: str, batch: int) -> list[str]:
        """Names in full, without quotes."""
        planned = self._planned
        if axis not in ("query", "key"):
            return []
        words = planned.words_of(layer)
        if axis == "key" and planned.asks_context(layer) and planned.context:
            words = planned.context
        if words.tokens is None:
            return []
        tokens = [token or "" for token in words.tokens[batch]]
        if not self._merged:
            return tokens
        groups = groups_of(planned.question, words, batch)
        return [spelled([tokens[at] for at in group]) for group in groups]

    def _found(self, layer: int, axis: str, batch: int) -> Names:
        return [field(name) for name in self.of(layer, axis, batch)]


def spelled(pieces: Sequence[str]) -> str:
    first, *others = pieces
    return first + "".join(one.removeprefix("##") or one for one in others)


def field(name: str) -> str:
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return '"{}"'.format(short.replace('"', '""')) if QUOTED.search(short) else short


def longest_name(planned: Plan) -> int:
    tokens = (words.tokens for words in (planned.words, planned.context) if words)
    names = (name or "" for rows in tokens for row in rows or [] for name in row)
    return max((len(field(name).encode()) for name in names), default=0)
