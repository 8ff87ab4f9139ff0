"""SentencePiece with ids in a separate vocabulary, as in Marian. Source and target model share the
vocabulary, so a piece unknown to one model may have an id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

from attnscope.tokens.library import PieceWithoutRow
from attnscope.tokens.sentencepiece_models import ScoredBpe, Unigram
from attnscope.tokens.sentencepiece_normalizer import SPACE, SentencePieceNormalizer
from attnscope.tokens.split import ALL, Token, Tokenization
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.tokens.vocabulary import TokenTable

CODE_BEGINS, CODE_ENDS = ">>", "<<"
Place = tuple[str, int, int]  # token and span


@dataclass(frozen=True)
class SentencePiece:
    rewriting: SentencePieceNormalizer
    pieces: Unigram | ScoredBpe

    def cut(self, text: str) -> Iterator[Place]:
        """Spans omit leading white space; adjacent unknown pieces become one token."""
        whole = self.rewriting.of(text)
        known, begun = self.pieces.scores, 0
        spans = [*self.pieces.cut(whole.text), (len(whole.text), len(whole.text))]
        for (begin, end), (_, next_end) in pairwise(spans):
            more = next_end > end and whole.text[end:next_end] not in known
            if more and whole.text[begin:end] not in known:
                continue
            piece = whole.text[begun:end]
            first = begun + (len(piece) > 1 and piece[0] == SPACE)
            yield piece, whole.starts[first], whole.ends[end - 1]
            begun = end


@dataclass(frozen=True)
class Vocabulary:
    """Tokens in `special` match first; `end` follows the texts."""

    ids: Mapping[str, int]
    rows: int
    special: frozenset[str]
    unknown: int
    end: int
    padding: int


class SentencePieces(SubwordTokenizer):
    def __init__(self, target: SentencePiece, source: SentencePiece, words: Vocabulary) -> None:
        self._model, self._words = target, words
        by_length = sorted(words.special, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, by_length)))
        names = {row: piece for piece, row in words.ids.items()}
        known = [names.get(row) for row in range(words.rows)]
        self._name(TokenTable(known, {}, words.unknown, spaces=True), takes_unknown=True)
        self.unsaid.append(words.padding)
        self._source = copy(self)
        self._source._model, self._source._source = source, self._source

    @property
    def source(self) -> SubwordTokenizer:
        return self._source

    def cut(
        self, text: str, pair: str | None = None, *, bare: bool = False, most: int = ALL
    ) -> Tokenization:
        tokens = [
            self._token(*place, sentence)
            for sentence, one in enumerate([text] if pair is None else [text, pair])
            for place in self._places(one)
        ]
        if not bare:
            at, last = (tokens[-1].end, tokens[-1].sentence) if tokens else (0, 0)
            end = self._words.end
            tokens.append(Token(self.names[end], at, at, last, added=True, id=end))
        return Tokenization(tokens[: most + 1], len(tokens))

    def _token(self, piece: str, start: int, end: int, sentence: int) -> Token:
        row = self._words.ids.get(piece, self._words.unknown)
        if row >= self._words.rows:
            raise PieceWithoutRow(piece)
        return Token(self.names[row], start, end, sentence, unknown=row == self.unknown, id=row)

    def _places(self, text: str) -> Iterator[Place]:
        at = 0
        for found in self._special.finditer(text):
            yield from self._between(text[at : found.start()], at)
            yield found[0], *found.span()
            at = found.end()
        yield from self._between(text[at:], at)

    def _between(self, text: str, at: int) -> Iterator[Place]:
        begin = 0
        if text.startswith(CODE_BEGINS) and (ends := text.find(CODE_ENDS)) >= 0:
            begin = ends + len(CODE_ENDS)
            yield text[:begin], at, at + begin
        for piece, start, end in self._model.cut(text[begin:]):
            yield piece, at + begin + start, at + begin + end
