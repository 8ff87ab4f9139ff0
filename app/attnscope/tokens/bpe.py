"""BPE by scores, as in SentencePiece (Sennrich et al. 2016). The leftmost pair wins ties."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import heappop, heappush

from attnscope.tokens.letters import WholePieceMatcher

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
