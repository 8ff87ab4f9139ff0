"""What the tokenizer of an upload may say."""

from __future__ import annotations

from typing import Any

import pytest

from attnscope.tokens.library import TokenizerFailed
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.tokens.untrusted_tokenizer import UnsafeDefinition, check_definition
from tests.tokenizer_files import BPE, definition, special, template, text, unigram

A, B = text("A"), text("B")
REPLACE = {"type": "Replace", "pattern": {"String": ""}, "content": "b"}
SPLIT = {"type": "Split", "pattern": {"String": ""}, "behavior": "Isolated", "invert": False}


def added(content: str) -> dict[str, Any]:
    return {"id": 8, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True}  # fmt: skip


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("tokenizer_template", {"post_processor": template([5] * 9, [special(), A])}),
    ("tokenizer_template", {"post_processor": template([5], [special()] * 40 + [A])}),
    ("tokenizer_template", {"post_processor": template([5], [A] * 12)}),
    ("tokenizer_template", {"post_processor": template([5], [A], [A, B, B])}),
    ("tokenizer_template", {"post_processor": {
        "type": "Sequence", "processors": [template([5], [special(), A])] * 2,
    }}),
    ("tokenizer_pattern", {"post_processor": {"type": "Unheard"}}),
    ("tokenizer_pattern", {"normalizer": REPLACE}),
    ("tokenizer_pattern", {"pre_tokenizer": SPLIT}),
    ("tokenizer_pattern", {"pre_tokenizer": {**SPLIT, "pattern": {"Regex": "(a+)+$"}}}),
    ("tokenizer_piece", {"model": unigram(65)}),
    ("tokenizer_piece", {"added_tokens": [added("x" * 257)]}),
    ("tokenizer_entries", {"added_tokens": [added("x")] * ((1 << 14) + 1)}),
    ("tokenizer_entries", {"model": {**BPE, "merges": [0] * ((1 << 20) + 1)}}),
    ("tokenizer_broken", {"added_tokens": 5}),
    ("tokenizer_broken", {"model": {"type": "Unigram", "vocab": [[7, 0.0]]}}),
    ("tokenizer_charsmap", {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AA"}}),
]  # fmt: skip


def test_a_part_that_costs_more_than_its_size_is_refused(subtests: pytest.Subtests) -> None:
    for reason, parts in REFUSED:
        with subtests.test(reason), pytest.raises(UnsafeDefinition) as refused:
            check_definition(definition(**parts))
        assert refused.value.reason == reason


def test_a_process_says_why_it_refuses() -> None:
    reason, parts = REFUSED[0]
    with pytest.raises(UnsafeDefinition) as refused:
        SubwordTokenizer.open_in_process(definition(**parts), 8, strange=True)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    "parts",
    [
        {"model": unigram(64)},
        {"post_processor": template([5], [special(), A], [special(), A, B])},
        {"post_processor": {"type": "Sequence", "processors": [
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
             "use_regex": True},
            template([5], [special(), A, special()]),
        ]}},
        {"added_tokens": [added("x" * 256)]},
    ],
)  # fmt: skip
def test_what_models_have_is_taken(parts: dict[str, Any]) -> None:
    pieces = SubwordTokenizer.open_in_process(definition(**parts), 70, strange=True)
    assert [one.text for one in pieces.tokenize("aa", bare=True)] == ["aa"]


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[]", b'{"model": {"type": []}}', b"[" * 9999])
def test_what_is_no_tokenizer_is_refused(content: bytes) -> None:
    with pytest.raises((UnsafeDefinition, TokenizerFailed)):
        SubwordTokenizer.open_in_process(content, 8, strange=True)
