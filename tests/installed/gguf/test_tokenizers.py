"""The tokenizer of a .gguf file cuts texts as its model does; what is not known is refused."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.gguf.file import GgufFile
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.tokens.untrusted_tokenizer import check_definition
from tests.families.made import GPT2, gpt2_tensors, tokenizer, word_pieces
from tests.gguf_files import byte_level_keys, gpt2_gguf, word_piece_keys, write_gguf
from tests.weights.formats.test_gguf import refusal_of

TEXTS = ["The animal didn't cross", "中文也行，é ü 😀", "  two  spaces\n\n x", "tired street 2024"]
WHATEVER = {"w": np.zeros((2, 2), np.float32)}
UNKNOWN, BYTE = 2, 6


def file(
    path: Path, keys: Mapping[str, Any], more: Mapping[str, Any] = {}, kind: str = "any"
) -> GgufFile:
    """A file with a tokenizer; None takes a key away."""
    named = {f"tokenizer.ggml.{key}": value for key, value in more.items()}
    kept = {key: value for key, value in {**keys, **named}.items() if value is not None}
    return GgufFile(write_gguf(path / "a.gguf", kind, kept, WHATEVER))


def cut(definition: str, text: str, *, specials: bool = False) -> list[tuple[str, int, int]]:
    tokens = SubwordTokenizer(definition).tokenize(text, bare=not specials)
    return [(token.text, token.start, token.end) for token in tokens]


def test_bytes_are_merged_as_tokenizer_json_says(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text in TEXTS:
        with subtests.test(text):
            found = file(tmp_path, byte_level_keys(tokenizer())).tokenizer()
            assert cut(found, text) == cut(tokenizer(), text)


def test_words_are_cut_as_tokenizer_json_says(tmp_path: Path, subtests: pytest.Subtests) -> None:
    texts = ("The animal didn't cross the STREET", "Was it é? 中文 ([CLS])")
    for specials, text in product((False, True), texts):
        with subtests.test(text, specials=specials):
            found = file(tmp_path, word_piece_keys(word_pieces())).tokenizer()
            wanted = cut(word_pieces(), text.replace("[CLS]", ""), specials=specials)
            assert cut(found, text.replace("[CLS]", ""), specials=specials) == wanted


TO_SPLIT = ("it's 2024 IT'S\n\n x", "HelloWorld 中\u093f x (a)/")
CN, MARK = "ä¸Ń", "à¤¿"  # bytes as signs
# As the tokenizer.json of a model of that name splits both.
SPLITS = {
    "gpt-2": ("it 's Ġ2024 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "phi-2": ("it 's Ġ2024 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "olmo": ("it 's Ġ2024 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "smollm": ("it 's Ġ 2 0 2 4 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "starcoder": ("it 's Ġ 2 0 2 4 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "llama-bpe": ("it 's Ġ 202 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "falcon3": ("it 's Ġ 202 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "qwen2": ("it 's Ġ 2 0 2 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "deepseek-r1-qwen": ("it 's Ġ 2 0 2 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ( a )/"),
    "qwen35": ("it 's Ġ 2 0 2 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ{CN}{MARK} Ġx Ġ( a )/"),
    "tekken": ("it 's Ġ 2 0 2 4 ĠIT 'S ĊĊ Ġx", f"Hello World Ġ{CN}{MARK} Ġx Ġ( a )/"),
    "gpt-4o": ("it's Ġ 202 4 ĠIT'S ĊĊ Ġx", f"Hello World Ġ{CN}{MARK} Ġx Ġ( a )/"),
    "llama4": ("it's Ġ 202 4 ĠIT'S ĊĊ Ġx", f"Hello World Ġ{CN}{MARK} Ġx Ġ( a )/"),
    "deepseek-llm": ("it ' s Ġ 2 0 2 4 ĠIT ' S Ċ Ċ Ġx", f"HelloWorld Ġ {CN}{MARK} Ġx Ġ( a )/"),
    "deepseek-v3": ("it 's Ġ 202 4 ĠIT 'S ĊĊ Ġx", f"HelloWorld Ġ {CN} {MARK} Ġx Ġ( a )/"),
    "falcon": ("it ' s Ġ 202 4 ĠIT ' S ĊĊ Ġx", f"HelloWorld Ġ{CN} {MARK} Ġx Ġ ( a )/"),
    "bloom": ("it's Ġ2024 ĠIT'S ĊĊ Ġx", f"HelloWorld Ġ{CN}{MARK} Ġx Ġ( a ) /"),
}


def test_texts_are_split_as_the_name_says(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, wanted in SPLITS.items():
        definition = file(tmp_path, byte_level_keys(tokenizer(), name)).tokenizer()
        check_definition(definition)  # which uploads may have too
        made = Tokenizer.from_str(definition)
        for text, pieces in zip(TO_SPLIT, wanted, strict=True):
            with subtests.test(name, text=text):
                found = made.pre_tokenizer.pre_tokenize_str(text)
                assert [piece for piece, _ in found] == pieces.split()


def test_qwen_composes_letters_and_llama_3_takes_whole_pieces(tmp_path: Path) -> None:
    qwen = file(tmp_path, byte_level_keys(tokenizer(), "qwen2")).tokenizer()
    assert Tokenizer.from_str(qwen).normalizer.normalize_str("e\u0301") == "é"
    pieces = {"tokens": ["a", "b", "c", "ab", "abc", "<s>"], "merges": ["a b"], "bos_token_id": 5,
              "token_type": [1, 1, 1, 1, 1, 3]}  # fmt: skip
    keys = byte_level_keys(tokenizer(), "llama-bpe")
    llama = file(tmp_path, keys, pieces).tokenizer()
    assert [one[0] for one in cut(llama, "abc", specials=True)] == ["<s>", "abc"]
    assert [one[0] for one in cut(llama, "a<s>b")] == ["a", "<s>", "b"]
    smol = file(tmp_path, {**keys, "tokenizer.ggml.pre": "smollm"}, pieces).tokenizer()
    assert [one[0] for one in cut(smol, "abc", specials=True)] == ["ab", "c"]


OF_ARCHITECTURES = {
    "gpt2": "gpt-2", "phi2": "phi-2", "gptneox": "olmo", "falcon": "falcon", "bloom": "bloom",
    "qwen2": "qwen2", "qwen3": "qwen2",
}  # fmt: skip


def test_where_all_models_of_a_kind_split_alike_the_file_need_not_name_it(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for kind, name in OF_ARCHITECTURES.items():
        wanted = file(tmp_path, byte_level_keys(tokenizer(), name), kind=kind).tokenizer()
        for pre in (None, "default"):
            with subtests.test(kind, pre=pre):
                keys = byte_level_keys(tokenizer(), pre)
                assert file(tmp_path, keys, kind=kind).tokenizer() == wanted
    error = refusal_of(file(tmp_path, byte_level_keys(tokenizer(), None), kind="llama").tokenizer)
    assert (error.reason, error.values["name"]) == ("gguf_split_of_text", "default")


LETTERS = "▁theanimlcroswd'"


def scored() -> dict[str, Any]:
    """Pieces with scores: letters, and parts of words, of which longer ones are often better."""
    draw = np.random.default_rng(5)
    words = ["▁the", "▁animal", "▁cross", "▁was", "here", "malt"]
    parts = {word[a:b] for word in words for a in range(len(word)) for b in range(a + 2, len(word))}
    parts |= set(words)
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)),
              *sorted(parts), *dict.fromkeys(LETTERS)]  # fmt: skip
    scores = [0.0] * 259 + [-float(i) for i in draw.permutation(len(pieces) - 259)]
    types = [UNKNOWN, 3, 3, *[BYTE] * 256, *[1] * (len(pieces) - 259)]
    return {
        "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.scores": scores, "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }  # fmt: skip


def merged(text: str, keys: Mapping[str, Any]) -> list[str]:
    """In plain loops: of all neighbours those whose piece has the highest score, the first of
    equals; a letter without a piece in bytes."""
    scored = zip(keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.scores"], strict=True)
    scores = dict(list(scored)[259:])
    parts = list(f"▁{text}".replace(" ", "▁"))
    while True:
        pairs = [(scores[a + b], -i) for i, (a, b) in enumerate(pairwise(parts))
                 if a + b in scores]  # fmt: skip
        if not pairs:
            break
        at = -max(pairs)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [
        piece
        for part in parts
        for piece in ([part] if part in scores else [f"<0x{b:02X}>" for b in part.encode()])
    ]


def test_pieces_with_scores_are_merged_best_first(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases = ["the animal was there", "crossthewas malthere", " two  spaces", "é中 the", "'here'"]
    for text in cases:
        with subtests.test(text):
            keys = scored()
            made = Tokenizer.from_str(file(tmp_path, keys).tokenizer())
            assert made.encode(text, add_special_tokens=False).tokens == merged(text, keys)
            assert made.encode(text).tokens == ["<s>", *merged(text, keys)]
            ends = file(tmp_path, keys, {"add_bos_token": False, "add_eos_token": True}).tokenizer()
            assert Tokenizer.from_str(ends).encode(text).tokens == [*merged(text, keys), "</s>"]


def test_the_space_before_a_text_is_left_out_where_the_file_says_so(tmp_path: Path) -> None:
    plain = file(tmp_path, scored(), {"add_space_prefix": False}).tokenizer()
    made = Tokenizer.from_str(plain)
    assert "".join(made.encode("the was", add_special_tokens=False).tokens) == "the▁was"


def with_runs(*runs: str) -> dict[str, Any]:
    """Pieces with scores, and such as are taken out of a text as they are."""
    keys = scored()
    return {
        "tokens": keys["tokenizer.ggml.tokens"] + list(runs),
        "scores": keys["tokenizer.ggml.scores"] + [-1000.0] * len(runs),
        "token_type": keys["tokenizer.ggml.token_type"] + [4] * len(runs),
        "add_space_prefix": False,
    }


def test_runs_of_spaces_belong_together_whatever_follows(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for runs in (("  ", "   "), ("▁▁", "▁▁▁")):  # of today's files, and of older ones
        made = Tokenizer.from_str(file(tmp_path, scored(), with_runs(*runs)).tokenizer())
        for text, pieces in (
            ("the  was", "▁▁"), ("the   was", "▁▁▁"), ("the ▁was", "▁▁"), ("the was", "▁was"),
            ("the     was", "▁▁▁ ▁▁"), ("▁▁▁", "▁▁▁"),
        ):  # fmt: skip
            with subtests.test(text, runs=runs):
                found = made.encode(text, add_special_tokens=False).tokens
                assert [one for one in found if "▁" in one] == pieces.split()


def unigrams(**more: Any) -> dict[str, Any]:
    """The keys of pieces of which the likeliest are taken together."""
    pieces = {
        "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -4.0, "▁the": -2.0, "▁th": -1.5, "e": -3.0,
        "s": -3.5, "es": -3.2, "▁the▁s": -9.0, "fi": -3.0,
    }  # fmt: skip
    return {
        "tokenizer.ggml.model": "t5", "tokenizer.ggml.tokens": list(pieces),
        "tokenizer.ggml.scores": list(pieces.values()),
        "tokenizer.ggml.token_type": [3, 3, UNKNOWN, *[1] * (len(pieces) - 3)],
        "tokenizer.ggml.eos_token_id": 1, "tokenizer.ggml.unknown_token_id": 2,
        **{f"tokenizer.ggml.{key}": value for key, value in more.items()},
    }  # fmt: skip


def test_the_likeliest_pieces_are_taken_together(tmp_path: Path, subtests: pytest.Subtests) -> None:
    made = Tokenizer.from_str(file(tmp_path, unigrams()).tokenizer())
    for text, pieces in (
        ("the", "▁the </s>"), ("  the   thes\n", "▁the ▁th es </s>"), ("", "</s>"),
        ("the q", "▁the ▁ q </s>"), ("the</s>", "▁the </s> </s>"),
    ):  # fmt: skip
        with subtests.test(text):
            assert made.encode(text).tokens == pieces.split()
    assert made.encode("q").ids == [3, 2, 1]


def test_signs_are_replaced_by_the_table_of_the_file(tmp_path: Path) -> None:
    nothing = struct.pack("<I", 1024) + bytes(1025)  # a trie of no sign, and what they become
    definition = file(tmp_path, unigrams(precompiled_charsmap=nothing)).tokenizer()
    table = json.loads(definition)["normalizer"]
    assert table["type"] == "Precompiled"
    assert base64.b64decode(table["precompiled_charsmap"]) == nothing
    assert Tokenizer.from_str(definition).encode("the").tokens == ["▁the", "</s>"]


def test_spaces_of_pieces_are_shown_as_spaces(tmp_path: Path) -> None:
    pieces = SubwordTokenizer(file(tmp_path, scored()).tokenizer())
    tokens = pieces.tokenize("the was é", bare=True)
    assert [token.text for token in tokens[-2:]] == ["<C3>", "<A9>"]
    assert "".join(token.text for token in tokens[:-2]) == " the was "
    ids = [pieces.ids[token.text] for token in tokens]
    assert pieces.text(ids) == " the was é"


def test_a_vocabulary_with_capitals_keeps_them(tmp_path: Path) -> None:
    keys = word_piece_keys(word_pieces())
    small = file(tmp_path, keys).tokenizer()
    assert cut(small, "The")[0][0] == "the"
    pieces = [*keys["tokenizer.ggml.tokens"], "▁The"]
    types = [*keys["tokenizer.ggml.token_type"], 1]
    cased = file(tmp_path, keys, {"tokens": pieces, "token_type": types}).tokenizer()
    assert cut(cased, "The the") == [("The", 0, 3), ("the", 4, 7)]


def test_older_files_of_bert_mark_what_is_special_by_brackets_alone(tmp_path: Path) -> None:
    keys = word_piece_keys(word_pieces())
    more = {"token_type": None, "seperator_token_id": None, "unknown_token_id": None}
    found = file(tmp_path, keys, more).tokenizer()
    text = "The animal zzz"
    assert cut(found, text, specials=True) == cut(word_pieces(), text, specials=True)
    bare = file(tmp_path, keys, {"add_bos_token": False, "add_eos_token": False}).tokenizer()
    assert cut(bare, text, specials=True) == cut(word_pieces(), text)


def crowded() -> dict[str, Any]:
    """Pieces of which each can be made in every way."""
    pieces = ["<unk>", *("a" * i + "b" * j for i in range(24) for j in range(24) if i + j)]
    return {"tokens": pieces, "scores": [0.0] * len(pieces), "token_type": [1] * len(pieces)}


BYTES = byte_level_keys(tokenizer())
PIECES = len(BYTES["tokenizer.ggml.tokens"])
WORDS = word_piece_keys(word_pieces())
REFUSED: dict[str, tuple[Mapping[str, Any], dict[str, Any], str]] = {
    "none": (BYTES, {"tokens": None}, "gguf_no_tokenizer"),
    "kind": (BYTES, {"model": "rwkv"}, "gguf_tokenizer"),
    "split": (BYTES, {"pre": "viking"}, "gguf_split_of_text"),
    "a space before": (BYTES, {"add_space_prefix": True}, "gguf_value"),
    "no merges": (BYTES, {"merges": None}, "gguf_no_key"),
    "fewer types": (BYTES, {"token_type": [1] * (PIECES - 1)}, "gguf_value"),
    "twice": (BYTES, {"tokens": ["a", "a"]}, "gguf_value"),
    "long": (BYTES, {"tokens": ["a" * 1025]}, "gguf_value"),
    "a row beyond": (BYTES, {"add_bos_token": True, "bos_token_id": PIECES}, "gguf_value"),
    "no row": (BYTES, {"add_eos_token": True}, "gguf_no_key"),
    "fewer scores": (scored(), {"scores": [1.0]}, "gguf_value"),
    "no scores": (scored(), {"scores": None}, "gguf_no_key"),
    "too many ways": (scored(), crowded(), "gguf_value"),
    "a long way": (scored(), {"tokens": ["a", "a" * 65], "scores": [0.0, 1.0],
                              "token_type": [1, 1]}, "gguf_value"),
    "a run twice": (scored(), with_runs("  ", "▁▁"), "gguf_value"),
    "the sign in a piece as it is": (scored(), with_runs("▁the▁"), "gguf_value"),
    "a long run": (scored(), with_runs(" " * 65), "gguf_value"),
    "squeezed": (scored(), {"remove_extra_whitespaces": True}, "gguf_only"),
    "a table of letters": (scored(), {"precompiled_charsmap": [1, 2]}, "gguf_value"),
    "no scores of unigrams": (unigrams(), {"scores": None}, "gguf_no_key"),
    "no number": (unigrams(), {"scores": [float("nan")] * 11}, "gguf_value"),
    "a table of long numbers": (unigrams(), {"precompiled_charsmap": [1, 2]}, "gguf_value"),
    "spaces that are kept": (unigrams(), {"remove_extra_whitespaces": False}, "gguf_only"),
    "two become one": (WORDS, {"tokens": ["[CLS]", "[SEP]", "[UNK]", "##a", "a"],
                               "token_type": [3, 3, 3, 3, 1]}, "gguf_value"),
    "no [CLS]": (WORDS, {"tokens": ["▁a", "[SEP]", "[UNK]"], "token_type": None}, "gguf_value"),
}  # fmt: skip


def test_a_tokenizer_that_cannot_be_made_says_why(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for case, (keys, more, reason) in REFUSED.items():
        with subtests.test(case):
            assert refusal_of(file(tmp_path, keys, more).tokenizer).reason == reason


def test_merges_of_pieces_that_are_not_there_are_refused(tmp_path: Path) -> None:
    keys = {**BYTES, "tokenizer.ggml.merges": ["a zzz"]}
    path = gpt2_gguf(tmp_path / "a.gguf", GPT2, gpt2_tensors(GPT2), keys)
    error = refusal_of(lambda: Checkpoint(path).pieces)
    assert (error.reason, error.at) == ("tokenizer_broken", "a.gguf")


def test_more_pieces_than_rows_are_refused(tmp_path: Path) -> None:
    config = {**GPT2, "vocab_size": 200}
    path = gpt2_gguf(tmp_path / "a.gguf", config, gpt2_tensors(config), BYTES)
    assert refusal_of(lambda: Checkpoint(path).pieces).reason == "other_vocabulary"
