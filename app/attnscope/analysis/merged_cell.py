from __future__ import annotations

from dataclasses import replace

from attnscope.analysis.merged_words import Merging, WordPlaces, merge_words, words_at
from attnscope.errors import TooLarge
from attnscope.trace.cell_reader import Operand, Place, Reader, Step
from attnscope.trace.explain import Cell
from attnscope.trace.explain_attention import MOST_OPERANDS
from attnscope.trace.format_arithmetic import equation, number, total
from attnscope.trace.plan import Plan
from attnscope.trace.stages import out_of_range
from attnscope.trace.trace import Trace

LATEX = {"sum": r"\sum_{%s}", "mean": r"\operatorname{mean}_{%s}", "max": r"\max_{%s}"}


def explain_merged(trace: Trace, place: Place, merging: Merging) -> Cell:
    """Raises InvalidRequest outside the map, TooLarge for too many tokens."""
    Reader.at(trace, "weights", Place(place.layer, place.head, place.batch, 0, 0))
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


def first_pieces(planned: Plan, place: Place) -> Place:
    places = words_at(planned, place.layer, place.batch)
    return replace(place, row=places.queries[place.row][0], col=places.keys[place.col][0])


def _expression(read: list[list[Operand]], merging: Merging) -> str:
    each = [_reduction([number(one.value) for one in row], merging.keys) for row in read]
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
