"""Attention between words. By default weights are summed over the tokens of the key and averaged
over those of the query, so that rows sum to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from attnscope.tokens.marked_words import marked_groups
from attnscope.tokens.word_groups import word_groups
from attnscope.trace.inputs import Words
from attnscope.trace.plan import Plan
from attnscope.trace.question import Captured, Question

Keys = Literal["sum", "mean", "max"]
Queries = Literal["mean", "sum", "max"]
Groups = list[list[int]]


@dataclass(frozen=True)
class Merging:
    """Tokens of a word are reduced by key first, then by query."""

    keys: Keys = "sum"
    queries: Queries = "mean"


@dataclass(frozen=True)
class WordPlaces:
    """Token positions by word, without padding."""

    queries: Groups
    keys: Groups


def words_at(planned: Plan, layer: int, batch: int) -> WordPlaces:
    question, queries = planned.question, planned.words_of(layer)
    keys = planned.context if planned.asks_context(layer) and planned.context else queries
    return WordPlaces(groups_of(question, queries, batch), groups_of(question, keys, batch))


def groups_of(question: Question, words: Words, batch: int) -> Groups:
    given = question.context if words.at.startswith("context") else question.text
    first, second = (one if isinstance(one, str) or one is None else one[batch]
                     for one in (given, question.pair))  # fmt: skip
    length = words.lengths[batch]
    if isinstance(question.model, Captured) and words.tokens is not None:
        return marked_groups([token or "" for token in words.tokens[batch][:length]])
    if first is None:
        return [[position] for position in range(length)]
    spans = words.offsets[batch][:length]
    if second is None or words.sentences is None:
        return word_groups(first, spans)
    of = words.sentences[batch][:length]
    split = next((i for i, sentence in enumerate(of) if sentence == 1), length)
    behind = word_groups(second, spans[split:])
    return word_groups(first, spans[:split]) + [[split + i for i in group] for group in behind]


def merge_words(
    weights: Float[np.ndarray, "*heads n m"], places: WordPlaces, merging: Merging
) -> Float[np.ndarray, "*heads words others"]:
    by_key = _merged(weights, places.keys, merging.keys, -1)
    return _merged(by_key, places.queries, merging.queries, -2)


def between_words(
    weights: Float[np.ndarray, "batch head n m"], planned: Plan, layer: int, merging: Merging
) -> Float[np.ndarray, "batch head words others"]:
    """Padded with zeros."""
    places = [words_at(planned, layer, batch) for batch in range(len(weights))]
    each = [merge_words(one, where, merging) for one, where in zip(weights, places, strict=True)]
    rows, cols = (max(one.shape[axis] for one in each) for axis in (-2, -1))
    found = np.zeros((*weights.shape[:2], rows, cols), weights.dtype)
    for batch, one in enumerate(each):
        found[batch, :, : one.shape[-2], : one.shape[-1]] = one
    return found


def any_open(
    cells: Bool[np.ndarray, "n m"], places: WordPlaces
) -> Bool[np.ndarray, "words others"]:
    """Whether two words have an open cell. `cells` start at the first word of each axis."""
    found: np.ndarray = cells
    for axis, groups in ((-1, places.keys), (-2, places.queries)):
        starts = [group[0] - groups[0][0] for group in groups]
        found = np.logical_or.reduceat(found, starts, axis)
    return found


def _merged(numbers: np.ndarray, groups: Groups, way: str, axis: int) -> np.ndarray:
    starts = [group[0] for group in groups]
    within = np.take(numbers, range(groups[-1][-1] + 1), axis)
    if way == "max":
        return np.maximum.reduceat(within, starts, axis)
    sums: np.ndarray = np.add.reduceat(within, starts, axis)
    if way == "sum":
        return sums
    counts = np.array([len(group) for group in groups], numbers.dtype)
    means: np.ndarray = sums / (counts[:, None] if axis == -2 else counts)
    return means


def named_words(words: Words, batch: int, groups: Sequence[Sequence[int]]) -> list[object] | None:
    if words.tokens is None:
        return None
    row = words.tokens[batch]
    return [tuple(row[position] for position in group) for group in groups]
