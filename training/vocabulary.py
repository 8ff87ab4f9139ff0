"""Tokenizers that are trained with a model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

Ids = np.ndarray  # [n] int64

UNKNOWN = "?"  # of a task: a character in no problem
# The 2,000 commonest words in small letters of the example sentences of WordNet 3.0.
EVERYDAY = Path(__file__).with_name("everyday.txt")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def bytes_in_pairs(text: str, size: int) -> Tokenizer:
    """Byte-level BPE with `size` tokens (Sennrich et al. 2016; bytes as in GPT-2): lossless for any
    text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, special_tokens=[], show_progress=False
    )
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return tokenizer


def common_characters(text: str, size: int) -> Tokenizer:
    """A token for each of the commonest characters, and one for each byte, which spell the rest in
    UTF-8: lossless for any text."""
    counted = sorted(Counter(text).items(), key=lambda pair: (-pair[1], pair[0]))
    return spelled([character for character, _ in counted[: size - len(BYTES)]])


def spelled(alphabet: list[str]) -> Tokenizer:
    """A token for each character and each byte."""
    pieces = {piece: i for i, piece in enumerate([*BYTES, *alphabet])}
    tokenizer = Tokenizer(models.BPE(pieces, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def characters(alphabet: str) -> Tokenizer:
    """A token for each character; any other becomes `?`."""
    pieces = {piece: i for i, piece in enumerate([UNKNOWN, *alphabet])}
    tokenizer = Tokenizer(models.BPE(pieces, [], unk_token=UNKNOWN))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def encoded(tokenizer: Tokenizer, text: str) -> Ids:
    """The ids of a long text, line by line, which is much faster than at once."""
    lines = tokenizer.encode_batch(text.splitlines(keepends=True), add_special_tokens=False)
    return np.concatenate([np.array(line.ids, np.int64) for line in lines])


def pieces_a_word(tokenizer: Tokenizer) -> float:
    """The mean number of tokens of an everyday word after a space."""
    words = EVERYDAY.read_text(encoding="utf-8").split()
    cut = tokenizer.encode_batch([f" {word}" for word in words], add_special_tokens=False)
    return sum(len(each.ids) for each in cut) / len(words)
