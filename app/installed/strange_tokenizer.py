"""The tokenizer of a stranger's model: its parts are those that are known here, and none of them
makes a text longer, or takes more time than its length can explain."""

from __future__ import annotations

import json
from typing import Any

from app.errors import BadWeightsFile
from app.installed.charsmap import StrangeCharsmap, check_charsmap
from app.installed.gguf import byte_level

# A pattern of one's own may take for ever to fit a text.
PATTERNS = byte_level.PATTERNS | {" {2,}", r"\s+", "[0-9]"}
NORMALIZERS = frozenset({
    "BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Precompiled", "Prepend",
    "Replace", "Sequence", "Strip", "StripAccents",
})  # fmt: skip
SPLITS = frozenset({
    "BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation", "Sequence", "Split",
    "Whitespace", "WhitespaceSplit",
})  # fmt: skip
MODELS = frozenset({"BPE", "Unigram", "WordLevel", "WordPiece"})
MOST_PARTS = 16
LONGEST_WORD = 200  # characters, of which WordPiece tries every beginning
LONGEST_MARK = 16


def check_strange(definition: str, at: str) -> None:
    """Raises BadWeightsFile, naming what is not known."""
    try:
        parts = json.loads(definition, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise BadWeightsFile("tokenizer_broken", at=at) from None
    told = parts if isinstance(parts, dict) else {}
    for key, kinds in (("normalizer", NORMALIZERS), ("pre_tokenizer", SPLITS)):
        for part in _flat(told.get(key), at):
            if part.get("type") not in kinds or not _is_tame(part):
                raise _unknown(at, part)
    _check_charsmaps(_flat(told.get("normalizer"), at), at)
    model = told.get("model")
    if not isinstance(model, dict) or not _is_tame_model(model):
        raise _unknown(at, model if isinstance(model, dict) else {})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that is said twice may be read as either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _flat(part: Any, at: str) -> list[dict[str, Any]]:
    """A part and those inside it."""
    found: list[dict[str, Any]] = []
    left = [part] if part is not None else []
    while left:
        one = left.pop()
        if not isinstance(one, dict) or len(found) >= MOST_PARTS:
            raise BadWeightsFile("tokenizer_broken", at=at)
        found.append(one)
        for key in ("normalizers", "pretokenizers"):
            inner = one.get(key, [])
            left += inner if isinstance(inner, list) else [None]
    return found


def _check_charsmaps(parts: list[dict[str, Any]], at: str) -> None:
    """Raises BadWeightsFile for a table of letters that is not to be trusted, and for a second."""
    tables = [part.get("precompiled_charsmap") for part in parts if part["type"] == "Precompiled"]
    try:
        if len(tables) > 1 or not all(isinstance(table, str) for table in tables):
            raise StrangeCharsmap
        for table in tables:
            check_charsmap(str(table))
    except StrangeCharsmap:
        raise BadWeightsFile("tokenizer_charsmap", at=at) from None


def _is_tame(part: dict[str, Any]) -> bool:
    """Whether it splits by known patterns alone, and puts no more in a place than it takes."""
    pattern = part.get("pattern", {})
    if not isinstance(pattern, dict) or not set(pattern) <= {"Regex", "String"}:
        return False
    if any(one not in PATTERNS for key, one in pattern.items() if key == "Regex"):
        return False
    put, taken = str(part.get("content", part.get("prepend", ""))), pattern.get("String")
    return len(put) <= max(1, len(taken) if isinstance(taken, str) else 1)


def _is_tame_model(model: dict[str, Any]) -> bool:
    marks = (model.get("continuing_subword_prefix"), model.get("end_of_word_suffix"))
    longest = model.get("max_input_chars_per_word", 100)
    return (
        model.get("type") in MODELS
        and not model.get("dropout")
        and isinstance(longest, int)
        and longest <= LONGEST_WORD
        and all(len(str(mark or "")) <= LONGEST_MARK for mark in marks)
    )


def _unknown(at: str, part: dict[str, Any]) -> BadWeightsFile:
    said = json.dumps({key: value for key, value in part.items() if key not in ("vocab", "merges")})
    return BadWeightsFile("tokenizer_pattern", at=at, pattern=said[:80])
