"""Attention between words. By default weights are summed over the tokens of the key and averaged
over those of the query, so that rows sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from attnscope.errors import TooLarge
from attnscope.tokens.word_groups import marked_groups, word_groups
from attnscope.trace.cell_reader import (
    CellPlace,
    Operand,
    Reader,
    Step,
    equation,
    format_number,
    total,
)
from attnscope.trace.explain import Cell
from attnscope.trace.explain_attention import MOST_OPERANDS
from attnscope.trace.inputs import Words
from attnscope.trace.plan import Plan
from attnscope.trace.question import Captured, Question
from attnscope.trace.stages import out_of_range
from attnscope.trace.trace import Trace

Keys = Literal["sum", "mean", "max"]
Queries = Literal["mean", "sum", "max"]
Groups = list[list[int]]


@dataclass(frozen=True)
class Merging:
    """Weights of a word's tokens are reduced over keys first, then over queries."""

    keys: Keys = "sum"
    queries: Queries = "mean"


@dataclass(frozen=True)
class WordPlaces:
    """Token positions by word, without padding."""

    queries: Groups
    keys: Groups


def words_at(planned: Plan, layer: int, batch: int) -> WordPlaces:
    question, queries = planned.question, planned.words_of(layer)
    keys = planned.context if planned.attends_to_context(layer) and planned.context else queries
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
    """Texts with fewer words are padded with zeros."""
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
    """Whether two words have an open cell. `cells` begin at the first word of each axis."""
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


LATEX = {"sum": r"\sum_{%s}", "mean": r"\operatorname{mean}_{%s}", "max": r"\max_{%s}"}


def explain_merged(trace: Trace, place: CellPlace, merging: Merging) -> Cell:
    """Raises InvalidRequest outside the map, TooLarge for too many tokens."""
    Reader.at(trace, "weights", CellPlace(place.layer, place.head, place.batch, 0, 0))
    places = words_at(trace.plan, place.layer, place.batch)
    for name, words in (("row", places.queries), ("col", places.keys)):
        if getattr(place, name) >= len(words):
            raise out_of_range(name, getattr(place, name), len(words))
    rows, cols = places.queries[place.row], places.keys[place.col]
    estimate = len(rows) * len(cols)
    if estimate > MOST_OPERANDS:
        raise TooLarge("operands", at="stage", estimate=estimate, limit=MOST_OPERANDS)
    reader = Reader(trace, place)
    read = [[reader.operand("weights", row, col, place.head) for col in cols] for row in rows]
    pieces = reader.slice("weights", place.head)[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    alone = WordPlaces([list(range(len(rows)))], [list(range(len(cols)))])
    value = float(merge_words(pieces, alone, merging)[0, 0])
    operands = [one for row in read for one in row]
    expression = equation(_expression(read, merging), [one.value for one in operands], value)
    formula = f"{merging.queries} over i in query of {merging.keys} over j in key of W[i, j]"
    latex = f"{LATEX[merging.queries] % 'i'} {LATEX[merging.keys] % 'j'} W_{{ij}}"
    closed_by = [] if value else _closed_by(reader, rows, cols)
    return Cell(value, formula, latex, [Step("weights", expression, operands, value)], closed_by)


def first_pieces(planned: Plan, place: CellPlace) -> CellPlace:
    places = words_at(planned, place.layer, place.batch)
    return replace(place, row=places.queries[place.row][0], col=places.keys[place.col][0])


def _expression(read: list[list[Operand]], merging: Merging) -> str:
    each = [_reduction([format_number(one.value) for one in row], merging.keys) for row in read]
    if len(each) > 1:
        each = [f"({one})" if " " in one and merging.queries != "max" else one for one in each]
    return _reduction(each, merging.queries)


def _reduction(terms: list[str], way: str) -> str:
    if len(terms) == 1:
        return terms[0]
    if way == "max":
        return f"max({', '.join(terms)})"
    return total(terms) if way == "sum" else f"({total(terms)}) / {len(terms)}"


def _closed_by(reader: Reader, rows: list[int], cols: list[int]) -> list[str]:
    place, mask = reader.place, reader.setting.options.mask
    lengths = reader.setting.lengths[place.batch]
    cells = [mask.closed_by(row, col, lengths, place.batch, place.head)
             for row in rows for col in cols]  # fmt: skip
    if not all(cells):
        return []
    return [name for name in cells[0] if all(name in one for one in cells)]
