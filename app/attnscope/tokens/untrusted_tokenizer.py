from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from attnscope.tokens.splits import PATTERNS as KNOWN_PATTERNS

# Other patterns may backtrack for hours.
PATTERNS = KNOWN_PATTERNS | {" {2,}", r"\s+", "[0-9]"}
NORMALIZERS = frozenset({
    "BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Precompiled", "Prepend",
    "Replace", "Sequence", "Strip", "StripAccents",
})  # fmt: skip
SPLITS = frozenset({
    "BertPreTokenizer", "ByteLevel", "Digits", "Metaspace", "Punctuation", "Sequence", "Split",
    "Whitespace", "WhitespaceSplit",
})  # fmt: skip
PROCESSORS = frozenset({
    "BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing",
})  # fmt: skip
MODELS = frozenset({"BPE", "Unigram", "WordLevel", "WordPiece"})
INNER = ("normalizers", "pretokenizers", "processors")
MOST_PARTS = 16
MOST_SET = 16
LONGEST_WORD = 200  # characters; WordPiece tries every prefix
LONGEST_MARK = 16
LONGEST_UNIGRAM = 64  # characters; every length is tried
LONGEST_ADDED = 256
MOST_ENTRIES = {"vocab": 1 << 20, "merges": 1 << 20, "added_tokens": 1 << 14}


class UnsafeDefinition(Exception):
    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason, values)
        self.reason, self.values = reason, values


def check_definition(definition: str | bytes) -> None:
    try:
        parts = json.loads(definition, object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError):
        raise UnsafeDefinition("tokenizer_broken") from None
    definition_parts = parts if isinstance(parts, dict) else {}
    kinds = {"normalizer": NORMALIZERS, "pre_tokenizer": SPLITS, "post_processor": PROCESSORS}
    found = {key: _flatten_parts(definition_parts.get(key)) for key in kinds}
    for key, known in kinds.items():
        for part in found[key]:
            if part.get("type") not in known or not _has_safe_patterns(part):
                raise _unknown(part)
    _check_charsmaps(found["normalizer"])
    _check_templates(found["post_processor"])
    model = definition_parts.get("model")
    if not isinstance(model, dict) or not _is_safe_model(model):
        raise _unknown(model if isinstance(model, dict) else {})
    _check_entries(model | {"added_tokens": definition_parts.get("added_tokens")})


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate keys, which parsers read differently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _flatten_parts(part: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    pending = [part] if part is not None else []
    while pending:
        one = pending.pop()
        if not isinstance(one, dict) or len(found) >= MOST_PARTS:
            raise UnsafeDefinition("tokenizer_broken")
        found.append(one)
        for key in INNER:
            inner = one.get(key, [])
            pending += inner if isinstance(inner, list) else [None]
    return found


def _check_charsmaps(parts: list[dict[str, Any]]) -> None:
    tables = [part.get("precompiled_charsmap") for part in parts if part["type"] == "Precompiled"]
    if not tables:
        return
    from attnscope.tokens.charsmap import UnsafeCharsmap, check_charsmap  # slow import

    try:
        if len(tables) > 1 or not all(isinstance(table, str) for table in tables):
            raise UnsafeCharsmap
        for table in tables:
            check_charsmap(str(table))
    except UnsafeCharsmap:
        raise UnsafeDefinition("tokenizer_charsmap") from None


def _has_safe_patterns(part: dict[str, Any]) -> bool:
    pattern = part.get("pattern", {})
    if not isinstance(pattern, dict) or not set(pattern) <= {"Regex", "String"}:
        return False
    if any(one not in PATTERNS for key, one in pattern.items() if key == "Regex"):
        return False
    if pattern.get("String") == "":  # matches between any two characters
        return False
    content, text = str(part.get("content", part.get("prepend", ""))), pattern.get("String")
    return len(content) <= max(1, len(text) if isinstance(text, str) else 1)


def _check_templates(parts: list[dict[str, Any]]) -> None:
    """Refuse a second, long or repeating template."""
    templates = [part for part in parts if part["type"] == "TemplateProcessing"]
    if len(templates) > 1 or not all(map(_is_safe_template, templates)):
        raise UnsafeDefinition("tokenizer_template", parts=MOST_SET)


def _is_safe_template(template: dict[str, Any]) -> bool:
    single, pair = template.get("single"), template.get("pair")
    special = template.get("special_tokens")
    special = list(special.values()) if isinstance(special, dict) else special
    return (
        _texts_of(single) == ["A"]
        and (pair in (None, []) or _texts_of(pair) == ["A", "B"])
        and isinstance(special, list)
        and len(special) <= 2 * MOST_SET
        and all(_has_one_token(one) for one in special)
    )


def _texts_of(parts: Any) -> list[str] | None:
    if not isinstance(parts, list) or len(parts) > MOST_SET:
        return None
    named = [one.get("Sequence") for one in parts if isinstance(one, dict) and "Sequence" in one]
    return sorted(str(one.get("id")) if isinstance(one, dict) else "" for one in named)


def _has_one_token(special: Any) -> bool:
    lists = (special.get("ids"), special.get("tokens")) if isinstance(special, dict) else ()
    return bool(lists) and all(isinstance(one, list) and len(one) == 1 for one in lists)


def _is_safe_model(model: dict[str, Any]) -> bool:
    marks = (model.get("continuing_subword_prefix"), model.get("end_of_word_suffix"))
    longest = model.get("max_input_chars_per_word", 100)
    return (
        model.get("type") in MODELS
        and not model.get("dropout")
        and not (model["type"] == "BPE" and marks[0])  # tokenizers aborts if merges lack the prefix
        and isinstance(longest, int)
        and longest <= LONGEST_WORD
        and all(len(str(mark or "")) <= LONGEST_MARK for mark in marks)
    )


def _check_entries(tables: dict[str, Any]) -> None:
    for key, most in MOST_ENTRIES.items():
        entries = tables.get(key)
        if entries is not None and not isinstance(entries, dict | list):
            raise UnsafeDefinition("tokenizer_broken")
        if len(entries or ()) > most:
            raise UnsafeDefinition("tokenizer_entries", key=key, limit=f"{most:,}")
    added = [one.get("content") for one in _dicts(tables.get("added_tokens"))]
    _check_pieces(added, LONGEST_ADDED)
    if tables["type"] == "Unigram":
        rows = tables.get("vocab")
        if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
            raise UnsafeDefinition("tokenizer_broken")
        _check_pieces([row[0] for row in rows], LONGEST_UNIGRAM)


def _dicts(entries: Sequence[Any] | None) -> list[dict[str, Any]]:
    if not all(isinstance(one, dict) for one in entries or ()):
        raise UnsafeDefinition("tokenizer_broken")
    return list(entries or ())


def _check_pieces(pieces: Iterable[Any], longest: int) -> None:
    for piece in pieces:
        if not isinstance(piece, str):
            raise UnsafeDefinition("tokenizer_broken")
        if len(piece) > longest:
            raise UnsafeDefinition("tokenizer_piece", piece=piece[:40], limit=longest)


def _unknown(part: dict[str, Any]) -> UnsafeDefinition:
    text = json.dumps({key: value for key, value in part.items() if key not in ("vocab", "merges")})
    return UnsafeDefinition("tokenizer_pattern", pattern=text[:80])
