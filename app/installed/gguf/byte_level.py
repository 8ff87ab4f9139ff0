"""Byte-level pieces (Radford et al. 2019): how a text is split before its bytes are merged.

The file names the split (`tokenizer.ggml.pre`); each is written here as the tokenizer.json of the
models of that name has it. One that is not known is refused: another split is another tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.errors import BadWeightsFile
from app.installed.gguf.vocabulary import AT, Vocabulary, bounds
from app.weights.formats.gguf_metadata import Metadata

Part = dict[str, Any]

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def _bytes(*, words: bool) -> Part:
    """Bytes as signs; `words` splits as GPT-2 does."""
    return {
        "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": words
    }  # fmt: skip


def _split(pattern: str) -> Part:
    return {
        "type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False
    }  # fmt: skip


@dataclass(frozen=True)
class Split:
    """What is done to a text; `whole` pieces need no merges, `begin` sets the first piece."""

    steps: tuple[Part, ...]
    normalizer: Part | None = None
    whole: bool = False
    begin: bool = False


WORDS = Split((_bytes(words=True),))
DIGITS = Split(({"type": "Digits", "individual_digits": True}, _bytes(words=True)))
THREE_DIGITS = Split((_split(LLAMA3), _bytes(words=False)), whole=True, begin=True)
COMPOSED = Split((_split(QWEN2), _bytes(words=False)), {"type": "NFC"})
SPLITS = {
    "gpt-2": WORDS, "llama-bpe": THREE_DIGITS, "llama-v3": THREE_DIGITS, "llama3": THREE_DIGITS,
    "qwen2": COMPOSED, "smollm": DIGITS, "starcoder": DIGITS,
}  # fmt: skip


def byte_level(told: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    """The parts of a tokenizer.json."""
    split = _named(told)
    prefix = f"{AT}add_space_prefix"
    if told.flag(prefix, False):
        raise told.refused(prefix)
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": split.normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(split.steps)},
        "post_processor": bounds(told, vocabulary, split.begin, False),
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
            "ignore_merges": split.whole, "vocab": vocabulary.ids(),
            "merges": told.texts(f"{AT}merges"),
        },
    }  # fmt: skip


def _named(told: Metadata) -> Split:
    """Files of GPT-2 itself need not name its split."""
    name = told.text(f"{AT}pre", "default")
    if name == "default" and told.text("general.architecture") == "gpt2":
        return WORDS
    if name not in SPLITS:
        known = ", ".join(SPLITS)
        raise BadWeightsFile("gguf_split_of_text", at=told.file, name=name[:64], known=known)
    return SPLITS[name]
