"""Tokenizers trained with a model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

Ids = np.ndarray  # [n] int64

UNKNOWN = "?"  # a character in no problem
# The 2,000 commonest words of WordNet's example sentences.
EVERYDAY = Path(__file__).with_name("everyday.txt")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def bytes_in_pairs(text: str, size: int) -> Tokenizer:
    """Byte-level BPE (Sennrich et al. 2016; bytes as in GPT-2): lossless."""
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
    """The commonest characters, and bytes for the others: lossless."""
    counted = sorted(Counter(text).items(), key=lambda pair: (-pair[1], pair[0]))
    return spelled([character for character, _ in counted[: size - len(BYTES)]])


def spelled(alphabet: list[str]) -> Tokenizer:
    pieces = {piece: i for i, piece in enumerate([*BYTES, *alphabet])}
    tokenizer = Tokenizer(models.BPE(pieces, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def characters(alphabet: str) -> Tokenizer:
    """Others become `?`."""
    pieces = {piece: i for i, piece in enumerate([UNKNOWN, *alphabet])}
    tokenizer = Tokenizer(models.BPE(pieces, [], unk_token=UNKNOWN))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def encoded(tokenizer: Tokenizer, text: str) -> Ids:
    """Line by line, which is much faster."""
    lines = tokenizer.encode_batch(text.splitlines(keepends=True), add_special_tokens=False)
    return np.concatenate([np.array(line.ids, np.int64) for line in lines])


def pieces_a_word(tokenizer: Tokenizer) -> float:
    """Mean over everyday words after a space."""
    words = EVERYDAY.read_text(encoding="utf-8").split()
    cut = tokenizer.encode_batch([f" {word}" for word in words], add_special_tokens=False)
    return sum(len(each.ids) for each in cut) / len(words)
