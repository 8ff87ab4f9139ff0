"""BPE by scores, as in SentencePiece (Sennrich et al. 2016). The leftmost pair wins ties.

Unigram (Kudo 2018), by Viterbi, in float32 as in SentencePiece: rounding decides between aa|a
and a|aa.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping
from heapq import heappop, heappush

import numpy as np

from attnscope.tokens.sentencepiece_normalizer import WholePieceMatcher

Merge = tuple[float, int, int, int]  # −score, start, boundary, end


class ScoredBpe:
    """Pieces in `unsplit` match everywhere and never merge."""

    def __init__(self, scores: Mapping[str, float], unsplit: Collection[str] = ()) -> None:
        self.scores = {**scores, **dict.fromkeys(unsplit, 0.0)}
        self._unsplit = WholePieceMatcher(unsplit)

    def cut(self, text: str) -> list[tuple[int, int]]:
        ends, whole = self._characters(text)
        begins = {end: begin for begin, end in ends.items()}
        waiting: list[Merge] = []

        def offer(begin: int, middle: int) -> None:
            end = ends[middle]
            if begin in whole or middle in whole:
                return
            score = self.scores.get(text[begin:end])
            if score is not None:
                heappush(waiting, (-score, begin, middle, end))

        for begin, middle in list(ends.items()):
            if middle < len(text):
                offer(begin, middle)
        while waiting:
            _, begin, middle, end = heappop(waiting)
            if ends.get(begin) != middle or ends.get(middle) != end:
                continue
            ends[begin], begins[end] = end, begin
            del ends[middle]
            if begin in begins:
                offer(begins[begin], begin)
            if end < len(text):
                offer(begin, end)
        return sorted(ends.items())

    def _characters(self, text: str) -> tuple[dict[int, int], set[int]]:
        """{start: end} of characters and unsplit pieces, and starts of the latter."""
        ends, whole, at = dict[int, int](), set[int](), 0
        while at < len(text):
            piece = self._unsplit.at(text, at)
            if piece is not None:
                whole.add(at)
            ends[at] = at + len(piece or text[at])
            at = ends[at]
        return ends, whole


UNKNOWN = 10.0  # an unknown character scores this much below the least likely piece
MARGIN = 0.1  # a user-defined piece scores its bytes × the best score − this


class Unigram:
    """`scores` are log-probabilities; pieces in `unsplit` match everywhere."""

    def __init__(self, scores: Mapping[str, float], unsplit: Collection[str] = ()) -> None:
        self.scores = dict(scores)
        best = np.float32(max(scores.values(), default=0.0))
        for piece in unsplit:
            self.scores[piece] = float(np.float32(len(piece.encode())) * best) - MARGIN
        self._unknown = float(np.float32(min(scores.values(), default=0.0)) - np.float32(UNKNOWN))
        self._longest: dict[str, int] = {}
        for piece in self.scores:
            self._longest[piece[0]] = max(self._longest.get(piece[0], 0), len(piece))

    def cut(self, text: str) -> list[tuple[int, int]]:
        best, begins = array("f", [0.0]) * (len(text) + 1), array("l", [-1]) * (len(text) + 1)
        scores, longest, total = self.scores, self._longest, array("f", [0.0])
        for start, char in enumerate(text):
            before, single = best[start], False
            for end in range(start + 1, min(start + longest.get(char, 0), len(text)) + 1):
                score = scores.get(text[start:end])
                if score is None:
                    continue
                single = single or end == start + 1
                total[0] = before + score
                if begins[end] < 0 or total[0] > best[end]:
                    best[end], begins[end] = total[0], start
            total[0] = before + self._unknown
            if not single and (begins[start + 1] < 0 or total[0] > best[start + 1]):
                best[start + 1], begins[start + 1] = total[0], start
        found: list[tuple[int, int]] = []
        at = len(text)
        while at > 0:
            found.append((begins[at], at))
            at = begins[at]
        return found[::-1]
