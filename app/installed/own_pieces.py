"""The tokenizer of a checkpoint, held against its embeddings."""

from __future__ import annotations

from app.errors import BadWeightsFile
from app.families.model import About
from app.tokens.pieces import Pieces, TokenizerFailed

SIGNS = "aΩ猫\u0378"  # which no vocabulary has all of


def pieces_of(definition: str, about: About, at: str) -> Pieces:
    """Raises BadWeightsFile for a tokenizer that cannot be read, or has a piece beyond the last
    embedding; `at` is where it was."""
    try:
        pieces = Pieces(definition, about.vocabulary)
        pieces.tokenize(SIGNS)
    except (TokenizerFailed, ValueError, LookupError, TypeError):
        raise BadWeightsFile("tokenizer_broken", at=at) from None
    found, rows = pieces.last + 1, about.vocabulary
    if found > rows:
        raise BadWeightsFile("other_vocabulary", at=at, found=found, rows=rows)
    return pieces
