"""The tokenizer of a checkpoint, held against its embeddings."""

from __future__ import annotations

import json
from typing import Any

from app.errors import BadWeightsFile
from app.families.model import About
from app.installed.gguf.byte_level import LLAMA3, QWEN2
from app.tokens.pieces import Pieces

# Of tokenizers that come from strangers: a pattern may take for ever to fit a text.
KNOWN_PATTERNS = frozenset({LLAMA3, QWEN2, " {2,}", r"\s+", "[0-9]"})


def pieces_of(definition: str, about: About, at: str) -> Pieces:
    """Raises BadWeightsFile for a tokenizer that cannot be read, or has more pieces than there are
    embeddings; `at` is where it was."""
    try:
        pieces = Pieces(definition, about.vocabulary, specials=about.specials)
    except Exception:  # tokenizers raises nothing narrower
        raise BadWeightsFile("tokenizer_broken", at=at) from None
    found, rows = pieces.size, about.vocabulary
    if found > rows:
        raise BadWeightsFile("other_vocabulary", at=at, found=found, rows=rows)
    return pieces


def check_patterns(definition: str, at: str) -> None:
    """Raises BadWeightsFile for regular expressions that are not known here, anywhere in it."""
    try:
        parts = json.loads(definition)
    except (ValueError, RecursionError):
        raise BadWeightsFile("tokenizer_broken", at=at) from None
    unknown = sorted(_patterns(parts) - KNOWN_PATTERNS)
    if unknown:
        raise BadWeightsFile("tokenizer_pattern", at=at, pattern=unknown[0][:80])


def _patterns(root: Any) -> set[str]:
    """Every regular expression; vocabularies are passed over."""
    found: set[str] = set()
    left = (
        [value for key, value in root.items() if key != "model"] if isinstance(root, dict) else []
    )
    while left:
        part = left.pop()
        if isinstance(part, dict):
            pattern = part.get("Regex")
            found |= {pattern} if isinstance(pattern, str) else set()
            left += part.values()
        elif isinstance(part, list):
            left += part
    return found
