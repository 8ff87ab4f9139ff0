"""Texts cut in processes: the same tokens, within limits, and never on the event loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from attnscope.cancellation import ClientDisconnected, cancel_when
from attnscope.errors import TooLarge, TooManyTokens
from attnscope.tokens.processes import NeedsThread, raise_if_slow
from attnscope.tokens.read_text import read_text
from attnscope.tokens.split import tokenize
from attnscope.tokens.subword_tokenizer import SubwordTokenizer, read_pair, read_pieces
from attnscope.trace.token_limits import TokenLimits
from tests.families.made import joined_pieces, tokenizer, word_pieces
from tests.tokenizer_files import definition, unigram, word_piece

pytestmark = pytest.mark.slow

TEXT = "The animal didn't cross the street, 猫 é."
SLOW = definition(model=unigram(400))  # only the server's own disk may have such a one


@pytest.mark.parametrize("made", [tokenizer, word_pieces, joined_pieces])
def test_a_process_says_what_the_library_does(made: object) -> None:
    assert callable(made)
    here = SubwordTokenizer(made())
    there = SubwordTokenizer.open_in_process(made().encode(), 0, strange=True)
    assert (there.names, there.unknown, there.unsaid) == (here.names, here.unknown, here.unsaid)
    for bare in (False, True):
        assert there.tokenize(TEXT, bare=bare) == here.tokenize(TEXT, bare=bare)
        assert there.tokenize(TEXT, "A second", bare=bare) == here.tokenize(
            TEXT, "A second", bare=bare
        )


def test_a_long_text_is_the_same_in_a_process() -> None:
    pieces, text = SubwordTokenizer(tokenizer()), f"{TEXT}\n" * 200
    parts = [pieces.tokenize(line) for line in text.splitlines(keepends=True)]
    assert [one.id for one in read_pieces(text, pieces).tokens] == [
        one.id for part in parts for one in part
    ]
    assert read_text("ab, " * 9000, "words").tokens == tokenize("ab, " * 9000, "words")


def test_no_more_tokens_come_than_are_asked_for() -> None:
    pieces = SubwordTokenizer(tokenizer())
    cut = pieces.cut("ab " * 5000, most=10)
    assert (len(cut.tokens), cut.total > 5000, cut.whole) == (11, True, False)
    words = read_text("ab " * 9000, "words", most=10)
    assert (len(words.tokens), words.total) == (11, 9000)


def test_a_text_that_surely_is_too_long_is_not_cut() -> None:
    cut = SubwordTokenizer(tokenizer()).cut("ab " * 300_000, most=10)
    assert not cut.exact
    assert cut.total > 10
    with pytest.raises(TooManyTokens) as refused:
        TokenLimits(10).check("text", cut.total, exact=cut.exact)
    assert refused.value.reason == "surely_over_limit"


def test_a_text_that_takes_too_much_is_refused_and_the_next_is_cut() -> None:
    pieces = SubwordTokenizer.open_in_process(
        definition(normalizer={"type": "NFKC"}), 8, strange=True
    )
    with pytest.raises(TooLarge) as refused:
        read_pieces("\ufdfa" * 300_000, pieces)
    assert refused.value.reason == "cutting"
    assert [one.text for one in pieces.tokenize("aab")] == ["aa", "b"]


def test_a_text_that_nobody_waits_for_is_not_cut_to_the_end() -> None:
    pieces = SubwordTokenizer.open_in_process(SLOW, 401, strange=False)
    began = time.monotonic()
    with pytest.raises(ClientDisconnected), cancel_when(lambda: time.monotonic() > began + 0.5):
        pieces.tokenize("a" * 100_000)
    assert pieces.tokenize("aa")[0].text == "aa"


def test_nothing_waits_for_a_process_on_the_event_loop() -> None:
    pieces = SubwordTokenizer.open_in_process(definition(model=word_piece(100)), 3, strange=True)

    async def ask(text: str) -> bool:
        with pytest.raises(NeedsThread) as refused:
            pieces.tokenize(text)
        return refused.value.brief

    assert asyncio.run(ask("a"))
    assert not asyncio.run(ask("a" * 1_000_000))
    with raise_if_slow():
        assert pieces.tokenize("a")
        with pytest.raises(NeedsThread):
            pieces.tokenize("a" * 1_000_000)


def test_two_sentences_are_cut_together_in_a_process() -> None:
    pieces = SubwordTokenizer.open_in_process(word_pieces().encode(), 0, strange=True)
    cut = read_pair("the animal", "street", pieces, ("text", "pair"))
    assert {one.sentence for one in cut.tokens} == {0, 1}
