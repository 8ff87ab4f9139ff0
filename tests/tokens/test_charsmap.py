"""Tables of letters of strangers: those that keep texts as short as Unicode does are taken."""

from __future__ import annotations

import base64
import time

import pytest
from tokenizers import normalizers

from attnscope.tokens.charsmap import LARGEST, UnsafeCharsmap, check_charsmap, width
from tests.charsmaps import aliased, charsmap, table

LETTERS = {
    "\ufb01": "fi",
    "\uff21": "a",
    "\ufdfa": "\u0635\u0644\u0649",
    "\u200b": "",
    "e\u0301": "\xe9",
}


def test_a_table_that_is_taken_does_what_it_says_and_makes_no_text_wider() -> None:
    text = "\ufb01ne \uff21\u200bb caf" + "e\u0301 \ufdfa"
    check_charsmap(charsmap(LETTERS))
    made = normalizers.Precompiled(base64.b64decode(charsmap(LETTERS))).normalize_str(text)
    assert made == "fine ab caf\xe9 \u0635\u0644\u0649"
    assert width(made) <= width(text)


def test_a_table_that_makes_texts_longer_or_lies_is_refused(subtests: pytest.Subtests) -> None:
    good = base64.b64decode(charsmap(LETTERS))
    leaf = [0] * 512
    leaf[0] = 256 << 10
    cases = {
        "two letters for one": charsmap({"a": "bb"}),
        "a letter that another normalizer makes longer": charsmap({"a": "\ufdfa"}),
        "a letter that folds to two": charsmap({"a": "\xdf"}),
        "a long text": charsmap({"a": "b" * 5000}),
        "part of a letter": charsmap({b"\xc3": "a"}),
        "a key that is no text": charsmap({b"\xc3\xff": "a"}),
        "no base64": "?",
        "nothing": "",
        "an array longer than the table": base64.b64encode(b"\xff\xff\xff\x7f" + bytes(8)).decode(),
        "an array of half units": base64.b64encode(b"\x02\0\0\0" + bytes(8)).decode(),
        "texts that are no UTF-8": base64.b64encode(good + b"\xff\0").decode(),
        "texts without an end": base64.b64encode(good[:-1]).decode(),
        "a place beyond the texts": table(
            [*leaf[:353], 353 | 1 << 8 | (353 ^ 256) << 10, *leaf[354:]], b""
        ),
        "children beyond the array": table([1 << 20 | 256 << 10], b"\0"),
        "too many bytes": base64.b64encode(bytes(LARGEST + 10)).decode(),
    }
    for what, text in cases.items():
        with subtests.test(what), pytest.raises(UnsafeCharsmap):
            check_charsmap(text)


def test_keys_without_end_cost_no_more_than_the_limit() -> None:
    begun = time.process_time()
    with pytest.raises(UnsafeCharsmap):
        check_charsmap(aliased())
    assert time.process_time() - begun < 2
