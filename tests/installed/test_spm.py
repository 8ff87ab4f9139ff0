"""Models of SentencePiece in .spm files: what is read, and what is refused before it costs much."""

from __future__ import annotations

import base64
import random
import time

import pytest

from attnscope.errors import BadWeightsFile
from attnscope.installed.spm import LARGEST, MOST_PIECES, read_spm
from tests.charsmaps import aliased, charsmap
from tests.spm_files import CONTROLS, SOURCE, Fields, message, piece, spm, varint

LETTERS = {"Ａ": "A", "é": "e", "e\u0301": "E", "\u3000": " ", "\u200b": "", "ﷺ": "a b"}
A = [("▁", -1.0, 1), ("▁a", -2.0, 1), ("A", -2.0, 1), ("e", -2.0, 1), ("b", -2.0, 1),
     ("E", -2.0, 1)]  # fmt: skip


def cut(model: bytes, text: str) -> list[str]:
    return [one for one, _, _ in read_spm(model, "a.spm").cut(text)]


def table(letters: dict[str, str]) -> Fields:
    return [(2, base64.b64decode(charsmap(letters)))]


def test_the_longest_letters_of_the_table_are_replaced() -> None:
    model = spm(A, normalizer=table(LETTERS))
    assert cut(model, "Ａ") == ["▁", "A"]
    assert cut(model, "eé e\u0301\u200b") == ["▁", "e", "e", "▁", "E"]
    assert cut(model, "\u3000\u3000b\u3000 \u3000A\u200b\u3000") == ["▁", "b", "▁", "A"]
    assert cut(model, "ﷺ") == ["▁a", "▁", "b"]
    assert cut(model, "\u3000\u200b") == []


def test_a_normalizer_may_leave_white_space_as_it_is() -> None:
    text = " b  b "
    assert cut(spm(A, normalizer=[(4, 0)]), text) == ["▁", "▁", "b", "▁", "▁", "b", "▁"]
    assert cut(spm(A, normalizer=[(3, 0), (4, 0)]), text) == ["▁", "b", "▁", "▁", "b", "▁"]
    assert cut(spm(A, normalizer=[(3, 0)]), text) == ["b", "▁", "b"]


def test_only_pieces_that_are_normal_or_kept_are_in_a_text() -> None:
    more = [("<unk>x", -1.0, 2), ("bb", 0.0, 3), ("eb", -9.0, 5), ("be", -50.0, 4)]
    model = spm([*A, *more])
    assert cut(model, "bb ebe <s>") == ["▁", "b", "b", "▁", "e", "be", "▁", "<s>"]


def test_fields_that_are_not_read_are_passed_over() -> None:
    other = message([(9, 1 << 40), (10, 1.5), (11, b"self test")]) + varint(12 << 3 | 1) + bytes(8)
    assert cut(spm(SOURCE) + other, "the cat") == ["▁the", "▁cat"]


def test_pieces_may_be_merged_by_their_scores() -> None:
    more = [("ab", -1.0, 1), ("ba", -2.0, 1), ("a", -3.0, 1), ("aba", -4.0, 1), ("bb", -1.0, 1)]
    model = spm([("▁", 0.0, 1), ("b", -5.0, 1), *more, ("eb", 0.0, 4)], [(3, 2)])
    assert cut(model, "aba abb") == ["▁", "aba", "▁", "ab", "b"]
    assert cut(model, "bba baeb 猫犬a") == ["▁", "bb", "a", "▁", "ba", "eb", "▁", "猫犬", "a"]


PART = b"".join(message([(1, piece(*one))]) for one in CONTROLS)
# Bytes that are no model, and what is said of them.
BROKEN: dict[str, bytes] = {
    "nothing": b"", "no piece": PART, "a zip": b"PK\x03\x04" + bytes(100),
    "a length beyond the end": b"\x0a\x7f", "a number without an end": b"\x0a" + b"\xff" * 11,
    "a group": b"\x0b", "a piece that is a number": message([(1, 7)]),
    "an empty piece": spm([("", -1.0, 1)]), "a piece twice": spm([*A, A[0]]),
    "a long piece": spm([*A, ("x" * 257, -1.0, 1)]), "a type of its own": spm([*A, ("x", 0.0, 9)]),
    "a score that is none": spm([*A, ("x", float("nan"), 1)]),
    "an infinite score": spm([*A, ("x", float("inf"), 1)]),
    "no UTF-8": spm(A) + message([(1, message([(1, b"\xff"), (2, -1.0)]))]),
    "a score of eight bytes": spm(A) + message([(1, message([(1, b"x"), (2, bytes(8))]))]),
    "a score in whole": spm(A) + message([(1, message([(1, b"x"), (2, 1)]))]),
    "a trainer that is a number": spm(A) + message([(2, 7)]),
}  # fmt: skip
KINDS: dict[str, bytes] = {
    "WORD": spm(A, [(3, 3)]), "CHAR": spm(A, [(3, 4)]),
    "model_type": spm(A, [(3, 9)]), "byte_fallback": spm(A, [(35, 1)]),
    "treat_whitespace_as_suffix": spm(A, [(24, 1)]),
    "escape_whitespaces": spm(A, normalizer=[(5, 0)]),
    "UNUSED": spm([*A, ("eb", -9.0, 5)], [(3, 2)]),
}  # fmt: skip
TABLES: dict[str, bytes] = {
    "damaged": b"\xff" * 20, "longer than Unicode's": base64.b64decode(charsmap({"a": "b" * 19})),
    "no letter": base64.b64decode(charsmap({"a": "b"}))[:-3],
    "a circle": base64.b64decode(aliased()),
}  # fmt: skip


def refused(data: bytes) -> BadWeightsFile:
    with pytest.raises(BadWeightsFile) as error:
        read_spm(data, "a.spm")
    assert error.value.at == "a.spm"
    return error.value


def test_what_is_no_model_is_refused(subtests: pytest.Subtests) -> None:
    for name, data in BROKEN.items():
        with subtests.test(name):
            assert refused(data).reason == "spm_broken"
    for name, data in KINDS.items():
        with subtests.test(name):
            error = refused(data)
            assert (error.reason, error.values) == ("spm_kind", {"kind": name})
    for name, blob in TABLES.items():
        with subtests.test(name):
            assert refused(spm(A, normalizer=[(2, blob)])).reason == "spm_charsmap"


def test_a_large_one_is_refused_before_it_is_read() -> None:
    assert refused(bytes(LARGEST + 1)).reason == "spm_large"
    many = message([(1, b"")] * (MOST_PIECES + 1))
    assert refused(many).reason == "spm_broken"


def test_no_byte_that_differs_gives_another_error() -> None:
    reasons = set[str]()
    whole, draw = spm(A, normalizer=table(LETTERS)), random.Random(0)
    for number in range(2000):
        data = bytearray(whole[: draw.randrange(len(whole))] if number % 2 else whole)
        for _ in range(draw.randrange(1, 4)):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            assert list(read_spm(bytes(data), "a.spm").cut("a é\u0301 e\u0301b ﷺ 猫"))
        except BadWeightsFile as error:
            reasons.add(error.reason)
    assert {"spm_broken", "spm_charsmap"} <= reasons <= {"spm_broken", "spm_charsmap", "spm_kind"}


def test_a_circle_of_letters_takes_no_time() -> None:
    began = time.process_time()
    refused(spm(A, normalizer=[(2, base64.b64decode(aliased()))]))
    assert time.process_time() - began < 5
