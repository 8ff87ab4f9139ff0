"""Pieces of a trained tokenizer: named as text or bytes, and back to the same text."""

from __future__ import annotations

import json
from itertools import product

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from attnscope.errors import EmptyText, InvalidRequest
from attnscope.installed.model_registry import shipped
from attnscope.tokens.subword_tokenizer import SubwordTokenizer, read_pieces, without_end
from tests.families.made import tokenizer

ODD = [
    "", " ", "a", "naïve café", "日本語のテキスト", "\U0001f469\u200d\U0001f467",
    "a\tb\r\nc", "\u202eabc", "é" * 9,
]  # fmt: skip
NAMES = sorted(shipped().models)
TRAINED_ON_TEXT = [name for name in NAMES if shipped().models[name].config.language]


def test_every_text_becomes_pieces_that_say_it_again(subtests: pytest.Subtests) -> None:
    for name, text in product(TRAINED_ON_TEXT, ODD):
        with subtests.test(name, text=text):
            pieces = shipped().models[name].pieces
            tokens = pieces.tokenize(text)
            assert pieces.text([pieces.ids[token.text] for token in tokens]) == text
            assert all(0 <= token.start <= token.end <= len(text) for token in tokens)


def test_no_two_pieces_are_shown_alike(subtests: pytest.Subtests) -> None:
    for name in NAMES:
        with subtests.test(name):
            pieces = shipped().models[name].pieces
            assert len(pieces.ids) == len(pieces.names)


def test_a_part_of_a_character_is_shown_by_its_bytes() -> None:
    tokens = shipped().models["echo"].pieces.tokenize("彁")
    assert "".join(token.text for token in tokens) == "<E5><BD><81>"


def test_the_sign_of_a_space_is_shown_as_one_where_the_tokenizer_writes_it() -> None:
    vocab = {name: i for i, name in enumerate(["<0x20>", "▁", "a", "▁a", "b▁"])}
    made = Tokenizer(models.BPE(vocab, [("▁", "a")], byte_fallback=True))
    assert "▁a" in SubwordTokenizer(made.to_str()).names
    made.normalizer = normalizers.Replace(" ", "▁")
    pieces = SubwordTokenizer(made.to_str())
    assert pieces.names == ("<20>", " ", "a", " a", "b ")
    assert [(one.text, one.start, one.end) for one in pieces.tokenize("a a ")] == [
        ("a", 0, 1), (" a", 1, 3), (" ", 3, 4)
    ]  # fmt: skip
    assert pieces.text([2, 3, 1]) == "a a "


def test_a_character_that_has_no_piece_is_refused(subtests: pytest.Subtests) -> None:
    cases = [
        ("reversal", "Hello World", "H", 0),
        ("reversal", "hello world", " ", 5),
        ("reversal", "abc?", "?", 3),
        ("addition", "abc", "a", 0),
        ("addition", "1+2=?", "?", 4),
        ("sorting", "12😀3", "😀", 2),
    ]
    for name, text, piece, position in cases:
        with subtests.test(name):
            pieces = shipped().models[name].pieces
            with pytest.raises(InvalidRequest) as refused:
                read_pieces(text, pieces, "text[1]")
            assert (refused.value.reason, refused.value.at) == ("unknown_piece", "text[1]")
            assert refused.value.values["piece"] == piece
            assert refused.value.values["position"] == position
            known = str(refused.value.values["known"]).split(" ")
            assert set(known) == set(pieces.names) - {"?"}
            assert [one.text for one in read_pieces("".join(known), pieces).tokens] == known


@pytest.mark.parametrize("name", TRAINED_ON_TEXT)
def test_a_model_of_text_knows_every_character(name: str) -> None:
    pieces = shipped().models[name].pieces
    assert pieces.unknown is None
    assert [one.text for one in read_pieces("?", pieces).tokens] == ["?"]


def test_added_tokens_are_text_among_bytes() -> None:
    """In a byte-level vocabulary é stands for a byte, but an added token is what it matches."""
    alphabet = {sign: i for i, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(alphabet, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_tokens(["<début>", "Öl"])
    definition = made.to_str()
    for pieces in (
        SubwordTokenizer(definition),
        SubwordTokenizer.open_in_process(definition.encode(), 0, strange=True),
    ):
        assert [one.text for one in pieces.tokenize("é<début>Öl")] == [
            "<C3>", "<A9>", "<début>", "Öl"
        ]  # fmt: skip
        assert pieces.text([pieces.ids["<début>"], pieces.ids["Öl"]]) == "<début>Öl"


def test_the_unknown_piece_of_unigrams_is_known_by_its_row() -> None:
    vocab = [("a", -1.0), ("<unk>", 0.0), ("▁", -2.0)]
    made = Tokenizer(models.Unigram(vocab, unk_id=1))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    pieces = SubwordTokenizer(made.to_str())
    assert (pieces.unknown, pieces.unsaid) == (1, [1])
    assert [(one.text, one.unknown) for one in pieces.tokenize("az")] == [
        (" ", False), ("a", False), ("<unk>", True)
    ]  # fmt: skip


def test_truncation_and_padding_of_the_file_are_off() -> None:
    alphabet = {sign: i for i, sign in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    tokenizer = Tokenizer(models.BPE(alphabet, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=8, pad_token="a")
    definition = tokenizer.to_str()
    assert json.loads(definition)["truncation"]
    assert [token.text for token in SubwordTokenizer(definition).tokenize("abcde")] == list("abcde")


def test_spaces_alone_are_read_where_offsets_are_trimmed() -> None:
    """RoBERTa's post-processor takes spaces off the place of a piece, here all of it."""
    made = Tokenizer.from_str(tokenizer())
    made.add_special_tokens(["<s>", "</s>"])
    end, begin = [(name, made.get_vocab()[name]) for name in ("</s>", "<s>")]
    made.post_processor = processors.RobertaProcessing(end, begin, add_prefix_space=False)
    pieces = SubwordTokenizer(made.to_str())
    tokens = read_pieces("  ", pieces).tokens
    assert [one.text for one in tokens] == ["<s>", " ", " ", "</s>"]
    assert [one.text for one in without_end(tokens)] == ["<s>", " ", " "]
    with pytest.raises(EmptyText):
        read_pieces("", pieces)


@pytest.mark.parametrize(("text", "kind"), [("", EmptyText), ("a\0", InvalidRequest)])
def test_what_is_no_text_is_refused(text: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        read_pieces(text, shipped().models["echo"].pieces)
