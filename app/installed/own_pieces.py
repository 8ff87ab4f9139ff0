"""The tokenizer of a checkpoint, held against its embeddings."""

from __future__ import annotations

from app.errors import BadWeightsFile
from app.families.model import About
from app.tokens.pieces import Pieces, PieceWithoutRow, TokenizerFailed

SIGNS = "aΩ猫\u0378"  # which no vocabulary has all of


def pieces_of(definition: str, about: About, at: str) -> Pieces:
    """Raises BadWeightsFile for a tokenizer that cannot be read, and for one of another model: of
    that ordinary characters have no row. `at` is where it was."""
    try:
        pieces = Pieces(definition, about.vocabulary)
        pieces.tokenize(SIGNS)
    except PieceWithoutRow as error:
        rows, piece = about.vocabulary, error.piece[:64]
        raise BadWeightsFile("other_vocabulary", at=at, piece=piece, rows=rows) from None
    except (TokenizerFailed, ValueError, LookupError, TypeError):
        raise BadWeightsFile("tokenizer_broken", at=at) from None
    return pieces
