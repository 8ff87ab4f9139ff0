"""What every layout ends in, and the checks they share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.attention.parameters import Parameters, Shape
from app.errors import BadWeightsFile, ShapeMismatch
from app.weights.formats import WeightsFile

LONGEST_VOCAB = 10 * 2**20  # of its JSON text


@dataclass(frozen=True)
class Recognised:
    """Layers of one shape; `embedding` [vocab, d_model] comes with its `vocab` or not at all."""

    layout: str
    shape: Shape
    layers: tuple[Parameters, ...]
    embedding: np.ndarray | None = None
    vocab: tuple[str, ...] | None = None


def check_floats(file: WeightsFile) -> None:
    """Raises BadWeightsFile for integers, which no layer computes with."""
    for name, array in file.arrays.items():
        if array.dtype.kind != "f":
            raise BadWeightsFile(
                "dtype_not_supported", at="weights", tensor=name, dtype=file.dtypes[name]
            )


def heads_of(file: WeightsFile, num_heads: int | None) -> int:
    """The number of heads: the uploader's, or the file's, or 1. Raises BadWeightsFile."""
    text = str(num_heads) if num_heads is not None else file.metadata.get("num_heads", "1")
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 10 and int(text) > 0):
        raise BadWeightsFile("num_heads_no_number", at="num_heads", num_heads=text[:40])
    return int(text)


def vocab_of(file: WeightsFile) -> tuple[str, ...] | None:
    """The texts of the embedding's rows. Raises BadWeightsFile."""
    text = file.metadata.get("vocab")
    if text is None:
        return None
    if len(text) > LONGEST_VOCAB:
        raise BadWeightsFile("vocab_too_large", at="weights", limit=LONGEST_VOCAB)
    try:
        vocab = json.loads(text)
        if not isinstance(vocab, list) or set(map(type, vocab)) != {str}:
            raise ValueError("no list of texts")
        "".join(vocab).encode()  # half of a surrogate pair cannot be encoded
    except (ValueError, RecursionError):
        raise BadWeightsFile("vocab_broken", at="weights") from None
    if len(set(vocab)) < len(vocab):
        raise BadWeightsFile("vocab_repeats", at="weights")
    return tuple(vocab)


def check_embedding(
    arrays: Mapping[str, np.ndarray], vocab: tuple[str, ...] | None, d_model: int
) -> None:
    """Raises ShapeMismatch, and BadWeightsFile where embedding or vocab stands alone."""
    embedding = arrays.get("embedding")
    if embedding is None:
        if vocab is not None:
            raise BadWeightsFile("vocab_without_embedding", at="weights")
        return
    if vocab is None:
        raise BadWeightsFile("embedding_without_vocab", at="weights")
    if embedding.shape != (len(vocab), d_model):
        raise ShapeMismatch(
            "embedding", at="weights", found=list(embedding.shape), vocab=len(vocab),
            d_model=d_model,
        )  # fmt: skip
