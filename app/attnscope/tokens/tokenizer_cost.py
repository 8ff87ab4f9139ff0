from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from attnscope.tokens.vocabulary import SIGNS

# CPU seconds, twice those measured with tokenizers 0.23.
BASE = 2.5e-6  # per character
UNIGRAM = 1.2e-9  # per character × longest piece²
WORD_PIECE = 1e-9  # per character × longest word²
# Growth of a character: NFKC expands U+FDFA to 18.
GROWTH = {"BertNormalizer": 3, "Lowercase": 2, "NFC": 3, "NFD": 4, "NFKC": 18, "NFKD": 18,
          "Precompiled": 18}  # fmt: skip
LONGEST_WORD = 100  # WordPiece's default
# Steps that keep every character, unless their behavior is Removed.
KEEPING = {"ByteLevel", "Digits", "Metaspace", "Sequence", "Split"}


class Effort(NamedTuple):
    """`longest`: most characters in a token."""

    seconds_each: float = BASE
    longest: int | None = None

    def seconds(self, characters: int) -> float:
        return self.seconds_each * characters

    def fewest(self, characters: int) -> int:
        return 0 if self.longest is None else -(-characters // self.longest)


def effort_of(parts: Mapping[str, Any]) -> Effort:
    model, growth = parts["model"], 1
    for part in parts_in(parts.get("normalizer"), "normalizers"):
        growth = max(growth, GROWTH.get(part["type"], 1))
    each = BASE
    if model.get("type") == "Unigram":
        longest = max((len(piece) for piece, _ in model["vocab"]), default=0)
        each += UNIGRAM * longest**2
    elif model.get("type") == "WordPiece":
        each += WORD_PIECE * min(model.get("max_input_chars_per_word", LONGEST_WORD), 1 << 16) ** 2
    return Effort(each * growth, _longest(parts))


def _longest(parts: Mapping[str, Any]) -> int | None:
    """None unless tokens keep every character."""
    model = parts["model"]
    if model.get("type") != "BPE" or not _keeps_all(parts):
        return None
    added = [one["content"] for one in parts.get("added_tokens") or []]
    return max(map(len, [*model["vocab"], *added]), default=0) or None


def _keeps_all(parts: Mapping[str, Any]) -> bool:
    model, vocab = parts["model"], parts["model"]["vocab"]
    splits = list(parts_in(parts.get("pre_tokenizer"), "pretokenizers"))
    in_signs = any(part["type"] == "ByteLevel" for part in splits) and vocab.keys() >= SIGNS.keys()
    in_bytes = model.get("byte_fallback") and all(f"<0x{byte:02X}>" in vocab for byte in range(256))
    grows = all(
        part["type"] in ("Prepend", "Sequence") or _is_no_shorter(part)
        for part in parts_in(parts.get("normalizer"), "normalizers")
    )
    keeps = all(part["type"] in KEEPING and part.get("behavior") != "Removed" for part in splits)
    trims = any(one.get("lstrip") or one.get("rstrip") for one in parts.get("added_tokens") or [])
    marked = model.get("continuing_subword_prefix") or model.get("end_of_word_suffix")
    return bool((in_signs or in_bytes) and grows and keeps and not trims and not marked)


def _is_no_shorter(normalizer: Mapping[str, Any]) -> bool:
    pattern = normalizer.get("pattern", {}).get("String")
    return (
        normalizer["type"] == "Replace" and isinstance(pattern, str)
        and len(normalizer.get("content", "")) >= len(pattern)
    )  # fmt: skip


def parts_in(part: Mapping[str, Any] | None, key: str) -> Iterator[Mapping[str, Any]]:
    if part is not None:
        yield part
        for inner in part.get(key) or []:
            yield from parts_in(inner, key)
