"""Pre-tokenizers of byte-level BPE, by the GGUF key `tokenizer.ggml.pre`."""

from __future__ import annotations

from typing import Any, NamedTuple

Part = dict[str, Any]

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
QWEN35 = QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r" ?[^\s\p{L}", r" ?[^\s\p{L}\p{M}")
# Also splits before capitals. Placeholders: ENDS (English contractions), DIGITS (groups).
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+ENDS"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*ENDS"
    r"|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEKKEN = CASED.replace("ENDS", "").replace("DIGITS", r"\p{N}")
GPT4O = CASED.replace("ENDS", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?").replace("DIGITS", r"\p{N}{1,3}")
CASED_LETTERS = (  # of scripts with case, as in DeepSeek
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af"
    "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1"
    "\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd"
    "\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d"
    "\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4"
    "\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec"
    "\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128"
    "\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b"
    "\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787"
    "\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
    "\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2"
    "\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)
DEEPSEEK = (
    "[\r\n]", rf"\s?[{CASED_LETTERS}]+",
    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"\s+$",
    "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
)  # fmt: skip
DEEPSEEK3 = (
    r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)  # fmt: skip
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


def byte_signs(*, words: bool) -> Part:
    """Byte-level step; `words` also splits by GPT-2's pattern."""
    return {
        "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": words
    }  # fmt: skip


def _split(pattern: str) -> Part:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


class Split(NamedTuple):
    """`whole`: words in the vocabulary skip merges. `begin`: a BOS token is added."""

    steps: tuple[Part, ...]
    normalizer: Part | None = None
    whole: bool = False
    begin: bool = False


def _by(*patterns: str) -> tuple[Part, ...]:
    return (*(_split(pattern) for pattern in patterns), byte_signs(words=False))


NFC: Part = {"type": "NFC"}
WORDS = Split((byte_signs(words=True),))
NEOX = Split(WORDS.steps, NFC)
ONE_DIGIT: Part = {"type": "Digits", "individual_digits": True}
DIGITS = Split((ONE_DIGIT, byte_signs(words=True)))
THREE_DIGITS = Split(_by(LLAMA3), whole=True, begin=True)
COMPOSED = Split(_by(QWEN2), NFC)
BY_CASE = Split(_by(GPT4O))
FALCON = Split((
    {"type": "Punctuation", "behavior": "Contiguous"}, byte_signs(words=True),
    {"type": "Digits", "individual_digits": False}, _split("[0-9][0-9][0-9]"),
))  # fmt: skip
SPLITS = {
    "gpt-2": WORDS, "phi-2": WORDS, "olmo": NEOX,
    "llama-bpe": THREE_DIGITS, "llama-v3": THREE_DIGITS, "llama3": THREE_DIGITS,
    "falcon3": Split(_by(LLAMA3), whole=True),
    "qwen2": COMPOSED, "deepseek-r1-qwen": COMPOSED, "qwen35": Split(_by(QWEN35), NFC),
    "smollm": DIGITS, "starcoder": DIGITS,
    "tekken": Split(_by(TEKKEN), whole=True, begin=True),
    "gpt-4o": BY_CASE, "llama4": BY_CASE,
    "deepseek-llm": Split((*map(_split, DEEPSEEK), ONE_DIGIT, byte_signs(words=False))),
    "deepseek-v3": Split(_by(*DEEPSEEK3)),
    "falcon": FALCON, "bloom": Split(_by(BLOOM)),
}  # fmt: skip
PATTERNS = frozenset(
    step["pattern"]["Regex"]
    for split in SPLITS.values() for step in split.steps if step["type"] == "Split"
)  # fmt: skip
