"""SentencePiece model (Kudo & Richardson 2018), a protobuf message.

ModelProto       1 pieces · 2 TrainerSpec · 3 NormalizerSpec
SentencePiece    1 piece · 2 score · 3 type
TrainerSpec      3 model_type · 24 treat_whitespace_as_suffix · 35 byte_fallback
NormalizerSpec   2 precompiled_charsmap · 3 add_dummy_prefix · 4 remove_extra_whitespaces
                 · 5 escape_whitespaces
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from struct import unpack

from attnscope.errors import BadWeightsFile
from attnscope.tokens.charsmap import UnsafeCharsmap, read_charsmap
from attnscope.tokens.sentence_pieces import SentencePiece
from attnscope.tokens.sentencepiece_models import ScoredBpe, Unigram
from attnscope.tokens.sentencepiece_normalizer import CharacterMap, SentencePieceNormalizer

LARGEST = 16 << 20  # bytes
MOST_PIECES = 1 << 18
LONGEST_PIECE = 256  # characters; the tokenizer tries every length
LONGEST_VARINT = 10  # bytes
VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
NORMAL, USER_DEFINED, UNUSED = 1, 4, 5
NOTHING, ZERO = memoryview(b""), memoryview(bytes(4))
TYPES = range(1, 7)  # only NORMAL and USER_DEFINED match text
UNIGRAM, BPE = 1, 2
OTHER_KINDS = {3: "WORD", 4: "CHAR"}
Value = int | memoryview


class _Broken(Exception):
    pass


def read_spm(data: bytes, at: str) -> SentencePiece:
    if len(data) > LARGEST:
        raise BadWeightsFile("spm_large", at=at, limit=f"{LARGEST:,}")
    try:
        pieces, trained, rewritten = _parts(data)
        scores, user_defined, unused = _pieces(pieces)
    except (_Broken, UnicodeDecodeError):
        raise BadWeightsFile("spm_broken", at=at) from None
    _check_kind(trained, rewritten, unused, at)
    table = rewritten.get(2, b"")
    try:
        letters = (
            CharacterMap() if isinstance(table, int) or not table else read_charsmap(bytes(table))
        )
    except UnsafeCharsmap:
        raise BadWeightsFile("spm_charsmap", at=at) from None
    begins, squeezes = bool(rewritten.get(3, 1)), bool(rewritten.get(4, 1))
    cutting = ScoredBpe if trained.get(3) == BPE else Unigram
    return SentencePiece(
        SentencePieceNormalizer(letters, user_defined, begins, squeezes),
        cutting(scores, user_defined),
    )


def _check_kind(
    trained: dict[int, Value], rewritten: dict[int, Value], unused: bool, at: str
) -> None:
    kind = trained.get(3, UNIGRAM)
    model_type = OTHER_KINDS.get(kind, "model_type") if isinstance(kind, int) else "model_type"
    unsupported = {
        model_type: kind not in (UNIGRAM, BPE),
        "treat_whitespace_as_suffix": trained.get(24, 0) != 0,
        "byte_fallback": trained.get(35, 0) != 0,
        "escape_whitespaces": rewritten.get(5, 1) == 0,
        "UNUSED": unused and kind == BPE,
    }
    if found := [name for name, value in unsupported.items() if value]:
        raise BadWeightsFile("spm_kind", at=at, kind=found[0])


def _parts(data: bytes) -> tuple[list[memoryview], dict[int, Value], dict[int, Value]]:
    pieces, trained, rewritten = list[memoryview](), dict[int, Value](), dict[int, Value]()
    for number, value in _fields(memoryview(data)):
        if number not in (1, 2, 3):
            continue
        if isinstance(value, int):
            raise _Broken
        if number == 1:
            pieces.append(value)
            if len(pieces) > MOST_PIECES:
                raise _Broken
        else:
            (trained if number == 2 else rewritten).update(_fields(value))
    return pieces, trained, rewritten


def _pieces(messages: list[memoryview]) -> tuple[dict[str, float], list[str], bool]:
    """Scores, user-defined pieces, and whether any piece is unused."""
    scores, user_defined, known, unused = dict[str, float](), list[str](), set[str](), False
    for message in messages:
        fields = dict(_fields(message))
        text, score, kind = fields.get(1, NOTHING), fields.get(2, ZERO), fields.get(3, NORMAL)
        if isinstance(text, int) or isinstance(score, int) or kind not in TYPES:
            raise _Broken
        piece = str(text, "utf-8")
        number = unpack("<f", score)[0] if len(score) == 4 else nan
        if not 0 < len(piece) <= LONGEST_PIECE or piece in known or not isfinite(number):
            raise _Broken
        known.add(piece)
        if kind == NORMAL:
            scores[piece] = number
        elif kind == USER_DEFINED:
            user_defined.append(piece)
        unused = unused or kind == UNUSED
    if not scores:
        raise _Broken
    return scores, user_defined, unused


def _fields(data: memoryview) -> Iterator[tuple[int, Value]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == BYTES:
            size, at = _varint(data, at)
        elif kind in (EIGHT, FOUR):
            size = 8 if kind == EIGHT else 4
        else:
            raise _Broken
        if size > len(data) - at:
            raise _Broken
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Value and next offset."""
    number = 0
    for place, byte in enumerate(data[at : at + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, at + place + 1
    raise _Broken
