from __future__ import annotations

from attnscope.errors import BadWeightsFile
from attnscope.families.model import ModelConfig
from attnscope.tokens.library import PieceWithoutRow, TokenizerFailed
from attnscope.tokens.process import MIB, TokenizationFailed
from attnscope.tokens.processes import OPEN_SECONDS, Definition
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.tokens.untrusted_tokenizer import UnsafeDefinition

SIGNS = "aΩ猫\u0378"  # no vocabulary has all of them


def open_tokenizer(
    definition: str | bytes, about: ModelConfig, at: str, *, strange: bool = False
) -> SubwordTokenizer:
    """Open a tokenizer in a process and check that it fits the model.

    `at`: file to name in errors. `strange`: untrusted, so checked first. Raises
    BadWeightsFile if the tokenizer is broken, costs too much or does not fit.
    """
    content = definition.encode() if isinstance(definition, str) else definition
    pieces: SubwordTokenizer | None = None
    try:
        pieces = SubwordTokenizer.open_in_process(content, about.vocabulary, strange=strange)
        pieces.tokenize(SIGNS)
    except PieceWithoutRow as error:
        rows, piece = about.vocabulary, error.piece[:64]
        raise BadWeightsFile("other_vocabulary", at=at, piece=piece, rows=rows) from None
    except UnsafeDefinition as error:
        raise BadWeightsFile(error.reason, at=at, **error.values) from None
    except TokenizationFailed:
        limit = f"{Definition(content).opening_bytes // MIB:,} MB"
        raise BadWeightsFile("tokenizer_costly", at=at, seconds=OPEN_SECONDS, limit=limit) from None
    except TokenizerFailed:
        fails = pieces is not None and pieces.unknown is None  # failed on SIGNS
        reason = "tokenizer_without_unknown" if fails else "tokenizer_broken"
        raise BadWeightsFile(reason, at=at) from None
    return pieces
