"""What the tokenizer of an upload may say: known parts, none of which makes a text longer than
Unicode does, or takes more time or memory than its size explains."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from app.tokens.splits import PATTERNS as KNOWN_PATTERNS

# A pattern of one's own can backtrack for ever.
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
MOST_SET = 16  # parts of a template
LONGEST_WORD = 200  # characters, of which WordPiece tries every beginning
LONGEST_MARK = 16
LONGEST_UNIGRAM = 64  # characters of a piece: a lattice tries every length at every character
LONGEST_ADDED = 256  # characters of an added token
MOST_ENTRIES = {"vocab": 1 << 20, "merges": 1 << 20, "added_tokens": 1 << 14}


class StrangeDefinition(Exception):
    """`reason` and `values` are those of a BadWeightsFile."""

    def __init__(self, reason: str, **values: object) -> None:
        super().__init__(reason, values)
        self.reason, self.values = reason, values


def check_definition(definition: str | bytes) -> None:
    """Raises StrangeDefinition, naming the part that is not taken."""
    try:
        parts = json.loads(definition, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise StrangeDefinition("tokenizer_broken") from None
    told = parts if isinstance(parts, dict) else {}
    kinds = {
        "normalizer": NORMALIZERS, "pre_tokenizer": SPLITS, "post_processor": PROCESSORS
    }  # fmt: skip
    found = {key: _flat(told.get(key)) for key in kinds}
    for key, known in kinds.items():
        for part in found[key]:
            if part.get("type") not in known or not _is_tame(part):
                raise _unknown(part)
    _check_charsmaps(found["normalizer"])
    _check_templates(found["post_processor"])
    model = told.get("model")
    if not isinstance(model, dict) or not _is_tame_model(model):
        raise _unknown(model if isinstance(model, dict) else {})
    _check_entries(model | {"added_tokens": told.get("added_tokens")})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that occurs twice may be read as either."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _flat(part: Any) -> list[dict[str, Any]]:
    """A part and those inside it."""
    found: list[dict[str, Any]] = []
    left = [part] if part is not None else []
    while left:
        one = left.pop()
        if not isinstance(one, dict) or len(found) >= MOST_PARTS:
            raise StrangeDefinition("tokenizer_broken")
        found.append(one)
        for key in INNER:
            inner = one.get(key, [])
            left += inner if isinstance(inner, list) else [None]
    return found


def _check_charsmaps(parts: list[dict[str, Any]]) -> None:
    """Refuses a table of letters that is not to be trusted, and a second one."""
    tables = [part.get("precompiled_charsmap") for part in parts if part["type"] == "Precompiled"]
    if not tables:
        return
    from app.tokens.charsmap import StrangeCharsmap, check_charsmap  # numpy: a tenth of a second

    try:
        if len(tables) > 1 or not all(isinstance(table, str) for table in tables):
            raise StrangeCharsmap
        for table in tables:
            check_charsmap(str(table))
    except StrangeCharsmap:
        raise StrangeDefinition("tokenizer_charsmap") from None


def _is_tame(part: dict[str, Any]) -> bool:
    """Whether it splits by known patterns alone, and puts no more in a place than it takes."""
    pattern = part.get("pattern", {})
    if not isinstance(pattern, dict) or not set(pattern) <= {"Regex", "String"}:
        return False
    if any(one not in PATTERNS for key, one in pattern.items() if key == "Regex"):
        return False
    if pattern.get("String") == "":  # matches between any two characters
        return False
    put, taken = str(part.get("content", part.get("prepend", ""))), pattern.get("String")
    return len(put) <= max(1, len(taken) if isinstance(taken, str) else 1)


def _check_templates(parts: list[dict[str, Any]]) -> None:
    """One template with a few parts, each text once, and one id for each special token."""
    templates = [part for part in parts if part["type"] == "TemplateProcessing"]
    if len(templates) > 1 or not all(map(_is_plain, templates)):
        raise StrangeDefinition("tokenizer_template", parts=MOST_SET)


def _is_plain(template: dict[str, Any]) -> bool:
    single, pair = template.get("single"), template.get("pair")
    special = template.get("special_tokens")
    special = list(special.values()) if isinstance(special, dict) else special
    return (
        _texts_of(single) == ["A"]
        and (pair in (None, []) or _texts_of(pair) == ["A", "B"])
        and isinstance(special, list)
        and len(special) <= 2 * MOST_SET
        and all(_is_one(one) for one in special)
    )


def _texts_of(parts: Any) -> list[str] | None:
    """The texts that a template names; None where it is not a short list of parts."""
    if not isinstance(parts, list) or len(parts) > MOST_SET:
        return None
    named = [one.get("Sequence") for one in parts if isinstance(one, dict) and "Sequence" in one]
    return sorted(str(one.get("id")) if isinstance(one, dict) else "" for one in named)


def _is_one(special: Any) -> bool:
    lists = (special.get("ids"), special.get("tokens")) if isinstance(special, dict) else ()
    return bool(lists) and all(isinstance(one, list) and len(one) == 1 for one in lists)


def _is_tame_model(model: dict[str, Any]) -> bool:
    marks = (model.get("continuing_subword_prefix"), model.get("end_of_word_suffix"))
    longest = model.get("max_input_chars_per_word", 100)
    return (
        model.get("type") in MODELS
        and not model.get("dropout")
        and not (model["type"] == "BPE" and marks[0])  # merges that do not have it end the process
        and isinstance(longest, int)
        and longest <= LONGEST_WORD
        and all(len(str(mark or "")) <= LONGEST_MARK for mark in marks)
    )


def _check_entries(tables: dict[str, Any]) -> None:
    """Refuses more entries than any model has, and pieces that are too long."""
    for key, most in MOST_ENTRIES.items():
        entries = tables.get(key)
        if entries is not None and not isinstance(entries, dict | list):
            raise StrangeDefinition("tokenizer_broken")
        if len(entries or ()) > most:
            raise StrangeDefinition("tokenizer_entries", key=key, limit=f"{most:,}")
    added = [one.get("content") for one in _dicts(tables.get("added_tokens"))]
    _check_pieces(added, LONGEST_ADDED)
    if tables["type"] == "Unigram":
        rows = tables.get("vocab")
        if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
            raise StrangeDefinition("tokenizer_broken")
        _check_pieces([row[0] for row in rows], LONGEST_UNIGRAM)


def _dicts(entries: Sequence[Any] | None) -> list[dict[str, Any]]:
    if not all(isinstance(one, dict) for one in entries or ()):
        raise StrangeDefinition("tokenizer_broken")
    return list(entries or ())


def _check_pieces(pieces: Iterable[Any], longest: int) -> None:
    for piece in pieces:
        if not isinstance(piece, str):
            raise StrangeDefinition("tokenizer_broken")
        if len(piece) > longest:
            raise StrangeDefinition("tokenizer_piece", piece=piece[:40], limit=longest)


def _unknown(part: dict[str, Any]) -> StrangeDefinition:
    said = json.dumps({key: value for key, value in part.items() if key not in ("vocab", "merges")})
    return StrangeDefinition("tokenizer_pattern", pattern=said[:80])
