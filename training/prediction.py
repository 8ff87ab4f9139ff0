"""Loss on text, in nats per token."""

from __future__ import annotations

import numpy as np

from attnscope.attention.ops import softmax
from training.opened import Run

ROWS = 64  # evenly spaced passages of held-out text


def loss(run: Run, held_out: np.ndarray, context: int) -> float:
    starts = np.linspace(0, len(held_out) - context - 1, ROWS).astype(int)
    rows = np.stack([held_out[start : start + context + 1] for start in starts])
    chances = softmax(run(rows[:, :-1]).logits)
    came = np.take_along_axis(chances, rows[:, 1:, None], -1)
    return float(-np.log(came).mean())


def unigram(text: np.ndarray, held_out: np.ndarray, vocabulary: int) -> float:
    """With add-one smoothing."""
    counts = np.bincount(text, minlength=vocabulary) + 1
    return float(-np.log(counts / counts.sum())[held_out].mean())


def bigram(text: np.ndarray, held_out: np.ndarray, vocabulary: int) -> float:
    """Interpolated with unigrams, weighted by the number of different followers (Witten & Bell
    1991)."""
    single = np.bincount(text, minlength=vocabulary) + 1
    chances = single / single.sum()
    pairs = np.zeros((vocabulary, vocabulary))
    np.add.at(pairs, (text[:-1], text[1:]), 1)
    seen, kinds = pairs.sum(1), np.maximum((pairs > 0).sum(1), 1)
    first, then = held_out[:-1], held_out[1:]
    mixed = (pairs[first, then] + kinds[first] * chances[then]) / (seen + kinds)[first]
    return float(-np.log(mixed).mean())
