from __future__ import annotations

import json
from typing import Any

import numpy as np

from attnscope.weights.formats.limits import BadWeights, Budget
from attnscope.weights.json_cost import cost_of_json
from attnscope.weights.nested import pieces

LONGEST = 10 * 2**20  # characters
PER_TEXT = 160  # bytes of a string in list, tuple and set
LOOKED_AT = 2**20  # bytes converted at once
LAST_CHARACTER = 0x10FFFF


def count_of(vocab: object) -> int | None:
    """Number of strings; None if unknown without parsing."""
    if isinstance(vocab, np.ndarray):
        return vocab.size
    return len(vocab) if isinstance(vocab, list | tuple) else None


def read_vocab(vocab: object, budget: Budget) -> tuple[str, ...]:
    """Raises BadWeightsFile."""
    if isinstance(vocab, tuple):
        return vocab
    if isinstance(vocab, str):
        vocab = _parse_json(vocab, budget)
    count = count_of(vocab)
    if not count:
        raise BadWeights("vocab_broken")
    if count > (limit := budget.limits.max_vocab):
        raise BadWeights("vocab_too_many", count=count, limit=limit)
    budget.make(PER_TEXT * count)
    items: Any = _array_texts(vocab, budget) if isinstance(vocab, np.ndarray) else vocab
    texts = _check_texts(items)
    if len(set(texts)) < len(texts):
        raise BadWeights("vocab_repeats")
    return tuple(texts)


def _array_texts(vocab: np.ndarray, budget: Budget) -> list[str]:
    flat = vocab.reshape(-1)
    step = max(1, LOOKED_AT // flat.itemsize)
    texts: list[str] = []
    for start in range(0, flat.size, step):
        part = flat[start : start + step]
        if (part.view(np.uint32) > LAST_CHARACTER).any():
            raise BadWeights("vocab_broken")
        budget.make(part.nbytes)
        texts += part.tolist()
    return texts


def _parse_json(text: str, budget: Budget) -> object:
    if len(text) > LONGEST:
        raise BadWeights("vocab_too_large", limit=LONGEST)
    budget.make(cost_of_json(text.encode(errors="surrogatepass")))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadWeights("vocab_broken") from None


def _check_texts(texts: list[Any]) -> list[str]:
    characters = 0
    for piece in pieces(texts):
        if set(map(type, piece)) != {str}:
            raise BadWeights("vocab_broken")
        characters += sum(map(len, piece))
        if characters > LONGEST:
            raise BadWeights("vocab_too_large", limit=LONGEST)
        try:
            "".join(piece).encode()
        except UnicodeEncodeError:
            raise BadWeights("vocab_broken") from None
    return texts
