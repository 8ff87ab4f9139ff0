"""Pieces of SentencePiece: how a text is rewritten, and the unigram way to cut it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnscope.tokens.sentencepiece_models import UNKNOWN, Unigram
from attnscope.tokens.sentencepiece_normalizer import CharacterMap, SentencePieceNormalizer

SCORES = {"a": -2.0, "b": -2.5, "ab": -3.25, "ba": -4.75, "aba": -6.5, "bb": -5.75, "▁": -1.0}


def ways(text: str) -> Iterator[tuple[str, ...]]:
    """Every way to cut a text."""
    for marks in product([False, True], repeat=max(len(text) - 1, 0)):
        parts = [text[:1]]
        for cut, sign in zip(marks, text[1:], strict=True):
            if cut:
                parts.append(sign)
            else:
                parts[-1] += sign
        yield tuple(parts)


def worth(parts: tuple[str, ...]) -> float:
    unknown = min(SCORES.values()) - UNKNOWN
    return sum(SCORES.get(part, unknown if len(part) == 1 else -1e9) for part in parts)


@given(st.text("abc", min_size=1, max_size=9))
def test_no_way_to_cut_a_text_is_likelier(text: str) -> None:
    found = [text[begin:end] for begin, end in Unigram(SCORES).cut(text)]
    assert "".join(found) == text
    assert worth(tuple(found)) == pytest.approx(max(map(worth, ways(text))))


def test_pieces_that_are_kept_are_taken_wherever_they_are() -> None:
    unigram = Unigram(SCORES, ["bab", "猫"])
    text = "abab猫"
    found = [text[begin:end] for begin, end in unigram.cut(text)]
    assert found == ["a", "bab", "猫"]
    assert unigram.cut("") == []


@given(st.text(" ▁a\tb", max_size=12), st.booleans(), st.booleans())
def test_every_sign_of_a_rewritten_text_says_where_it_comes_from(
    text: str, begins: bool, squeezes: bool
) -> None:
    made = SentencePieceNormalizer(CharacterMap(), (), begins, squeezes).of(text)
    assert len(made.text) == len(made.starts) == len(made.ends)
    assert made.starts == sorted(made.starts)
    for sign, start, end in zip(made.text, made.starts, made.ends, strict=True):
        assert text[start:end].replace(" ", "▁") in ("", sign)
    if not squeezes:
        before = "▁" if begins and text else ""
        assert made.text == before + text.replace(" ", "▁")
    elif "▁" not in text:
        words = [word for word in text.split(" ") if word]
        assert made.text == ("▁" if begins and words else "") + "▁".join(words)
