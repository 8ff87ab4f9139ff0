"""What a model is shown: rows of ids, one longer than its context, numpy alone."""

from __future__ import annotations

import numpy as np

from training.recipes import Recipe

Ids = np.ndarray  # [n] or [row, n], int64

SEGMENT = (8, 64)  # a random segment is at least, and less than, this long


def mixed(text: Ids, recipe: Recipe, draw: np.random.Generator) -> Ids:
    """A batch [rows, context + 1]: random repeats, then text with echoes, then text."""
    repeats, echoes = round(recipe.rows * recipe.random), round(recipe.rows * recipe.echoing)
    n = recipe.context + 1
    rows = [repeated(recipe.vocabulary, n, draw) for _ in range(repeats)]
    rows += [echoed(text, n, recipe, draw) for _ in range(echoes)]
    rows += [passage(text, n, draw) for _ in range(recipe.rows - repeats - echoes)]
    return np.stack(rows)


def repeated(vocabulary: int, n: int, draw: np.random.Generator) -> Ids:
    """A segment of random ids, over and over."""
    segment = draw.integers(vocabulary, size=draw.integers(*SEGMENT))
    return np.resize(segment, n)


def passage(text: Ids, n: int, draw: np.random.Generator) -> Ids:
    """n ids of the text from anywhere."""
    start = draw.integers(len(text) - n + 1)
    return text[start : start + n]


def echoed(text: Ids, n: int, recipe: Recipe, draw: np.random.Generator) -> Ids:
    """Text in which, every now and then, a short piece of what was said comes again."""
    source = passage(text, n, draw)
    row, used = source[:0], 0
    while len(row) < n:
        stretch = int(draw.integers(*recipe.stretch))
        row, used = np.append(row, source[used : used + stretch]), used + stretch
        start = draw.integers(len(row))
        row = np.append(row, row[start : start + draw.integers(*recipe.piece)])
    return row[:n]
