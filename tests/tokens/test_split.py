"""Text to tokens: what is one token, and where it stands."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from attnscope.errors import EmptyText, InvalidRequest
from attnscope.tokens.read_text import read_text
from attnscope.tokens.split import Token, Tokenizer, check_text, tokenize
from tests.matrices import some_and_all

TOKENIZERS: list[Tokenizer] = ["words", "characters", "whitespace"]
WHITE = regex.compile(r"\p{White_Space}*")
FAMILY = "👨‍👩‍👧‍👦"
# Alphabets where clusters, joiners and prepended marks meet each other often.
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(
        alphabet="a猫ガかーe\u0301' ’.,_19ﷺ\u0600\u200c\u200d\u200b👩🇩🇪\ufe0f\n\u3000", max_size=20
    ),
)


def texts(text: str, tokenizer: Tokenizer = "words") -> list[str]:
    return [token.text for token in tokenize(text, tokenizer)]


TOLD_APART = [
    ("猫爱吃鱼", ["猫", "爱", "吃", "鱼"]),
    ("The cat sat.", ["The", "cat", "sat", "."]),
    ("didn't stop", ["didn't", "stop"]),
    ("l’homme d’été", ["l’homme", "d’été"]),
    ("'tis the dogs' ball", ["'", "tis", "the", "dogs", "'", "ball"]),
    ("pi is 3.14, not 1,000.", ["pi", "is", "3.14", ",", "not", "1,000", "."]),
    ("٣٫١٤", ["٣٫١٤"]),
    ("GPT2用Attention", ["GPT2", "用", "Attention"]),
    ("well-known", ["well", "-", "known"]),
    ("snake_case __init__", ["snake_case", "_", "_", "init", "_", "_"]),
    ("「東京」へ、カー!", ["「", "東", "京", "」", "へ", "、", "カ", "ー", "!"]),
    ("か\u3099葛\U000e0100", ["か\u3099", "葛\U000e0100"]),
    ("안녕 세상", ["안녕", "세상"]),
    ("שלום, צה״ל", ["שלום", ",", "צה״ל"]),
    ("مرحبا؟ می\u200cخواهم", ["مرحبا", "؟", "می\u200cخواهم"]),
    ("สวัสดีครับ", ["สวัสดีครับ"]),
    ("हिन्दी क्षत्रिय", ["हिन्दी", "क्षत्रिय"]),
    ("မြန်မာဘာသာ စကား", ["မြန်မာဘာသာ", "စကား"]),
    ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
    (f"go {FAMILY}👍🏽🇩🇪🇫🇷1️⃣", ["go", FAMILY, "👍🏽", "🇩🇪", "🇫🇷", "1️⃣"]),
    ("...", [".", ".", "."]),
    ("co\u00adoperate", ["co\u00adoperate"]),
]


def test_words_stand_apart_as_a_reader_sees_them(subtests: pytest.Subtests) -> None:
    for text, words in TOLD_APART:
        with subtests.test(text):
            assert texts(text) == words


def test_a_character_is_what_a_reader_calls_one() -> None:
    assert texts(f"e\u0301{FAMILY}🇩🇪猫", "characters") == ["e\u0301", FAMILY, "🇩🇪", "猫"]


def test_white_space_is_no_token_of_any_tokenizer() -> None:
    text = " the\tcat\u3000\n"
    assert texts(text, "characters") == list("thecat")
    assert texts(text, "words") == texts(text, "whitespace") == ["the", "cat"]


def test_whitespace_keeps_punctuation_on_the_word() -> None:
    assert texts("Hi, 世界!  ok", "whitespace") == ["Hi,", "世界!", "ok"]


def test_offsets_count_code_points() -> None:
    assert tokenize("a 👍🏽 猫", "words") == [
        Token("a", 0, 1), Token("👍🏽", 2, 4), Token("猫", 5, 6),
    ]  # fmt: skip


@given(TEXTS, st.sampled_from(TOKENIZERS))
def test_tokens_follow_each_other_and_leave_only_white_space_out(
    text: str, tokenizer: Tokenizer
) -> None:
    end = 0
    for token in tokenize(text, tokenizer):
        assert text[token.start : token.end] == token.text != ""
        assert token.start >= end
        assert WHITE.fullmatch(text[end : token.start])
        assert not regex.search(r"\p{White_Space}", token.text)
        end = token.end
    assert WHITE.fullmatch(text[end:])


def test_a_mark_that_joins_what_follows_joins_no_white_space(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ("\u0600 \u200c", ["\u0600", "\u200c"]),
        ("\u0600 \u200c\u0301a", ["\u0600", "\u200c\u0301", "a"]),
        ("\u0600\u0605 1", ["\u0600\u0605", "1"]),
        ("\u06001 \u0600", ["\u06001", "\u0600"]),
    ]
    for (text, tokens), tokenizer in product(cases, TOKENIZERS[:2]):
        with subtests.test(text, tokenizer=tokenizer):
            assert texts(text, tokenizer) == tokens


@given(TEXTS)
def test_words_are_made_of_whole_characters(text: str) -> None:
    edges = {token.start for token in tokenize(text, "characters")}
    assert {token.start for token in tokenize(text, "words")} <= edges


PIECES = ("a", "_", "'", "a'", "\u0301", "1,", "👩\u200d", "🇩", "\u0600", "猫")


def work(text: str, tokenizer: Tokenizer) -> float:
    start = time.process_time()
    tokenize(text, tokenizer)
    return time.process_time() - start


@pytest.mark.parametrize("rows", some_and_all(PIECES, TOKENIZERS, ("", " ")))
def test_work_does_not_grow_with_the_square_of_the_text(
    rows: list[tuple[str, Tokenizer, str]], subtests: pytest.Subtests
) -> None:
    for piece, tokenizer, end in rows:
        with subtests.test(piece, tokenizer=tokenizer, end=end):
            short, long = (piece * (length // len(piece)) + end for length in (2_000, 16_000))
            least = min(work(short, tokenizer) for _ in range(3))
            # 64 times at each try, if it did; a busy machine slows down some tries.
            assert any(work(long, tokenizer) < 30 * least for _ in range(5))


def test_nul_and_half_a_surrogate_pair_are_refused_with_their_place() -> None:
    with pytest.raises(InvalidRequest) as nul:
        check_text("ab\0", at="text.1")
    assert (nul.value.reason, nul.value.at, nul.value.values) == (
        "nul_character", "text.1", {"position": 2},
    )  # fmt: skip
    with pytest.raises(InvalidRequest) as half:
        check_text("a\ud83d")
    assert (half.value.reason, half.value.values) == ("lone_surrogate", {"position": 1})


@pytest.mark.parametrize("text", ["", "  \n\t\u3000 "])
def test_a_text_without_tokens_is_refused(text: str) -> None:
    with pytest.raises(EmptyText) as empty:
        read_text(text, "words", at="text.0")
    assert (empty.value.reason, empty.value.at) == ("no_token", "text.0")


def test_a_sound_text_is_read() -> None:
    assert [token.text for token in read_text("猫 eats", "words").tokens] == ["猫", "eats"]
