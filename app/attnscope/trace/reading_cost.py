from __future__ import annotations

from typing import NamedTuple

from attnscope.attention.layer_context import MAPS
from attnscope.errors import TooLarge
from attnscope.trace.long_map import COARSE
from attnscope.trace.plan import Plan

LEVEL_BYTES = 32  # per square of a pass: sums, extremes, counts, and a copy
ROW_BYTES = 200  # per row of a pass
STRIP_BYTES = 64 << 20  # strips of a pass, on all cores
KEY_COPY_BYTES = 24  # bytes per cell, if keys are left out
MERGED_BYTES = 16  # per cell, if tokens are merged into words
MADE_BYTES = 32  # per cell computed on reading
MOST_COMPUTED_CELLS = 1 << 24  # cells

# Times, in units of one computed number; 20,000 take a millisecond.
LAYER, TEXT, HEAD, MASK, DROP = 10_000, 2_000, 100, 4_000, 600


class Cost(NamedTuple):
    """`near`: whether reading takes milliseconds once the trace exists."""

    bytes: int = 0
    near: bool = False


def bytes_of_pass(planned: Plan) -> int:
    """Bytes of a pass; 0 unless the text is long."""
    if not planned.long:
        return 0
    return LEVEL_BYTES * COARSE**2 + ROW_BYTES * planned.n + STRIP_BYTES


def bytes_of_rows(planned: Plan) -> int:
    """Bytes held for statistics of all heads: of a pass, or one layer."""
    return bytes_of_pass(planned) or planned.dense_bytes // planned.model.num_layers


def bytes_without_keys(planned: Plan, skip: tuple[int, ...], heads: int = 1) -> int:
    return heads * KEY_COPY_BYTES * planned.n * planned.m if skip else 0


def bytes_of_block(planned: Plan, stage: str, rows: int, cols: int, skip: tuple[int, ...]) -> int:
    """Raises TooLarge for too many cells of a long text."""
    copied = KEY_COPY_BYTES * rows * planned.m if skip else 0
    if not (planned.long and stage in MAPS):
        return copied
    if rows * cols > MOST_COMPUTED_CELLS:
        raise TooLarge("long_block", estimate=f"{rows * cols:,}", limit=f"{MOST_COMPUTED_CELLS:,}")
    return copied + MADE_BYTES * rows * cols


def work_of(planned: Plan) -> int:
    heads, layers = planned.model.shape.num_heads, planned.model.num_layers
    entries = layers * (LAYER + HEAD * heads + TEXT * planned.batch)
    masks = MASK * heads * len(planned.knockouts)
    return planned.numbers + entries + masks + DROP * len(planned.question.drop)
