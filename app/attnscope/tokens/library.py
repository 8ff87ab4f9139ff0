from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from attnscope.tokens.vocabulary import SIGNS, SPACE, TokenTable

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
    """None if tokens may lose characters of the text."""
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


NO_TEXT = -1


class TokenizerFailed(Exception):
    pass


class PieceWithoutRow(Exception):
    def __init__(self, piece: str) -> None:
        super().__init__(piece)
        self.piece = piece


class Encoded(NamedTuple):
    """The first tokens of `total`. `texts`: index of the text in a pair, NO_TEXT if special."""

    total: int
    ids: list[int]
    starts: list[int]
    ends: list[int]
    texts: list[int]
    kinds: list[int]


@contextmanager
def _wrap_errors() -> Iterator[None]:
    try:
        yield
    except PieceWithoutRow:
        raise
    except Exception as error:  # the library raises nothing narrower
        raise TokenizerFailed from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise TokenizerFailed from error


class LoadedTokenizer:
    def __init__(self, definition: str) -> None:
        with _wrap_errors():
            self._tokenizer = Tokenizer.from_str(definition)
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        parts = json.loads(definition)
        self._unknown = self._unknown_of(parts["model"])
        self._byte_level, self._spaces = '"ByteLevel"' in definition, _marks_spaces(parts)
        self.effort: Effort = effort_of(parts)

    def described(self, rows: int = 0) -> TokenTable:
        find, count = self._tokenizer.token_to_id, rows or self._tokenizer.get_vocab_size()
        known = [self._tokenizer.id_to_token(i) for i in range(count)]
        owners = {name: owner for i, name in enumerate(known)
                  if name is not None and (owner := find(name)) not in (i, None)}  # fmt: skip
        added = list(self._tokenizer.get_added_tokens_decoder())
        return TokenTable(known, owners, self._unknown, self._byte_level, self._spaces, added)

    def _unknown_of(self, model: Mapping[str, Any]) -> int | None:
        if model.get("type") == "Unigram":  # states the id, not the token
            row: int | None = model.get("unk_id")
            return row
        return self._tokenizer.token_to_id(model.get("unk_token") or "")

    def encode(self, text: str, pair: str | None, bare: bool, most: int, rows: int) -> Encoded:
        """Return the first `most` tokens. `bare`: without special tokens. Raises PieceWithoutRow
        for ids ≥ `rows`, and TokenizerFailed."""
        with _wrap_errors():
            encoded = self._tokenizer.encode(text, pair, add_special_tokens=not bare)
            ids = encoded.ids
            if beyond := next((i for i in ids if i >= rows), 0):
                raise PieceWithoutRow(str(self._tokenizer.id_to_token(beyond)))
            places = encoded.offsets[:most]
            texts = [NO_TEXT if own is None else own for own in encoded.sequence_ids[:most]]
            return Encoded(
                len(ids), ids[:most], [start for start, _ in places], [end for _, end in places],
                texts, encoded.type_ids[:most],
            )  # fmt: skip


def _marks_spaces(parts: Mapping[str, Any]) -> bool:
    before = [parts.get("normalizer"), parts.get("pre_tokenizer")]
    return SPACE in json.dumps(before, ensure_ascii=False)
