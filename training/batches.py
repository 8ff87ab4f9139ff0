"""Training batches."""

from __future__ import annotations

import numpy as np

from training.recipes import Recipe
from training.solving import NOT_ASKED

Ids = np.ndarray  # [n] or [row, n], int64

SEGMENT = (8, 64)  # minimum and exclusive maximum length


def mixed(text: Ids, recipe: Recipe, draw: np.random.Generator) -> tuple[Ids, Ids]:
    """[rows, context] ids, and the ids that follow: repeats, text with echoes, text.

    Unless the recipe `asks_first`, first copies of segments have no targets.
    """
    repeats, echoes = round(recipe.rows * recipe.random), round(recipe.rows * recipe.echoing)
    n = recipe.context + 1
    random = [repeated(recipe.vocabulary, n, draw) for _ in range(repeats)]
    rows = [row for row, _ in random]
    rows += [echoed(text, n, recipe, draw) for _ in range(echoes)]
    rows += [passage(text, n, draw) for _ in range(recipe.rows - repeats - echoes)]
    drawn = np.stack(rows)
    targets = drawn[:, 1:].copy()
    for row, (_, length) in enumerate(random if not recipe.asks_first else ()):
        targets[row, : length - 1] = NOT_ASKED
    return drawn[:, :-1], targets


def repeated(vocabulary: int, n: int, draw: np.random.Generator) -> tuple[Ids, int]:
    """Also returns the segment's length."""
    segment = draw.integers(vocabulary, size=draw.integers(*SEGMENT))
    return np.resize(segment, n), len(segment)


def passage(text: Ids, n: int, draw: np.random.Generator) -> Ids:
    start = draw.integers(len(text) - n + 1)
    return text[start : start + n]


def echoed(text: Ids, n: int, recipe: Recipe, draw: np.random.Generator) -> Ids:
    source = passage(text, n, draw)
    row, used = source[:0], 0
    while len(row) < n:
        stretch = int(draw.integers(*recipe.stretch))
        row, used = np.append(row, source[used : used + stretch]), used + stretch
        start = draw.integers(len(row))
        row = np.append(row, row[start : start + draw.integers(*recipe.piece)])
    return row[:n]
