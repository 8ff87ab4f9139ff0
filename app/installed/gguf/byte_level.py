"""Byte-level pieces (Radford et al. 2019): how a text is split before its bytes are merged.

The file names the split (`tokenizer.ggml.pre`); each is written here as the tokenizer.json of the
models of that name has it. One that is not known is refused: another split is another tokenizer.
Older files name none, or `default`: then it is that of the architecture, where all models have one.
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
QWEN35 = QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r" ?[^\s\p{L}", r" ?[^\s\p{L}\p{M}")
# Words that begin with capitals or have none, then what ends them in English, digits, the rest.
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ENDS"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*ENDS"
    r"|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEKKEN = CASED.replace("ENDS", "").replace("DIGITS", r"\p{N}")
GPT4O = CASED.replace("ENDS", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?").replace("DIGITS", r"\p{N}{1,3}")
DEEPSEEK3 = (
    r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
)  # fmt: skip
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


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


def _by(*patterns: str) -> tuple[Part, ...]:
    """Split by one after the other, then bytes."""
    return (*(_split(pattern) for pattern in patterns), _bytes(words=False))


NFC: Part = {"type": "NFC"}
WORDS = Split((_bytes(words=True),))
NEOX = Split(WORDS.steps, NFC)
DIGITS = Split(({"type": "Digits", "individual_digits": True}, _bytes(words=True)))
THREE_DIGITS = Split(_by(LLAMA3), whole=True, begin=True)
COMPOSED = Split(_by(QWEN2), NFC)
BY_CASE = Split(_by(GPT4O))
FALCON = Split((
    {"type": "Punctuation", "behavior": "Contiguous"}, _bytes(words=True),
    {"type": "Digits", "individual_digits": False}, _split("[0-9][0-9][0-9]"),
))  # fmt: skip
SPLITS = {
    "gpt-2": WORDS, "phi-2": WORDS, "olmo": NEOX,
    "llama-bpe": THREE_DIGITS, "llama-v3": THREE_DIGITS, "llama3": THREE_DIGITS,
    "falcon3": Split(_by(LLAMA3), whole=True),
    "qwen2": COMPOSED, "deepseek-r1-qwen": COMPOSED, "qwen35": Split(_by(QWEN35), NFC),
    "smollm": DIGITS, "starcoder": DIGITS,
    "tekken": Split(_by(TEKKEN), whole=True, begin=True),
    "gpt-4o": BY_CASE, "llama4": BY_CASE, "deepseek-v3": Split(_by(*DEEPSEEK3)),
    "falcon": FALCON, "bloom": Split(_by(BLOOM)),
}  # fmt: skip
PATTERNS = frozenset(
    step["pattern"]["Regex"]
    for split in SPLITS.values() for step in split.steps if step["type"] == "Split"
)  # fmt: skip
USUAL = {
    "gpt2": "gpt-2", "phi2": "phi-2", "gptneox": "olmo", "falcon": "falcon", "bloom": "bloom",
    "qwen2": "qwen2", "qwen3": "qwen2",
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
    name = told.text(f"{AT}pre", "default")
    if name == "default":
        name = USUAL.get(told.text("general.architecture"), name)
    if name not in SPLITS:
        known = ", ".join(SPLITS)
        raise BadWeightsFile("gguf_split_of_text", at=told.file, name=name[:64], known=known)
    return SPLITS[name]
