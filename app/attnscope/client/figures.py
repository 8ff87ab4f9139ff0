from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnscope.client.arrays import Array
from attnscope.client.calls import Reply
from attnscope.client.problem import Problem
from attnscope.figures.figure import Figure
from attnscope.figures.heatmap import Side
from attnscope.tiles.picture import CLOSED, STEPS
from attnscope.trace.stages import BY_NAME, Stage

WHOLE = 64  # most cells per side of a figure with exact numbers
SIZE = 512  # most cells per side of a larger figure


def stage_of(name: str) -> Stage:
    drawn = [one.name for one in BY_NAME.values() if one.axes[0] == "batch"]
    if name not in drawn:
        raise Problem(
            "unknown_stage", f"There is no figure of {name!r}, only of {', '.join(drawn)}."
        )
    return BY_NAME[name]


def is_map(stage: Stage) -> bool:
    return stage.axes[-2:] == ("query", "key")


def figure_of(
    stage: Stage, values: Array, closed: Array, sides: Sequence[int], trace: Any,
    place: Mapping[str, Any],
) -> Figure:  # fmt: skip
    """`sides`: numbers of rows and of columns that one cell merges."""
    axes = stage.axes[-2:] if len(stage.axes) > 1 else ("", stage.axes[-1])
    named = [_names(axis, trace, place["batch"]) for axis in axes]
    rows, cols = (
        Side(axis, names, size * side if names is None else len(names), side)
        for axis, names, size, side in zip(axes, named, values.shape, sides, strict=True)
    )
    where = f"layer {place['layer']}"
    if stage.head_axis:
        where += f", head {place['head']}"
    size = f"{rows.title} {rows.count} × {cols.title} {cols.count}"
    return Figure(
        f"{stage.name.replace('_', ' ')}, {where}", f"{size} · {stage.formula}",
        np.asarray(values, np.float64), closed,
        "sequential" if stage.kind == "weights" else "diverging", rows, cols,
    )  # fmt: skip


def decode_picture(reply: Reply) -> tuple[Array, Array, list[int]]:
    """Decode a picture: values, closed cells, and sides as in `figure_of`."""
    shape = [int(size) for size in reply.headers["x-shape"].split(",")]
    low, high = (float(end) for end in reply.headers["x-range"].split(","))
    sides = [int(side) for side in reply.headers["x-side"].split(",")]
    bits = np.frombuffer(reply.content, np.uint8).reshape(shape)
    closed = bits == CLOSED
    part = np.where(closed, 0, bits) / STEPS
    return low + (high - low) * part**2, closed, sides


def lengths(trace: Any, stage: Stage, batch: int) -> list[int | None]:
    """Numbers of rows and columns without padding; None: the whole axis."""
    named = [_names(axis, trace, batch) for axis in stage.axes[-2:]]
    return [None if names is None else len(names) for names in named]


def _names(axis: str, trace: Any, batch: int) -> list[str] | None:
    if axis not in ("query", "key"):
        return None
    texts = trace.context_tokens if axis == "key" and trace.context_tokens else trace.tokens
    if texts is None:
        return None
    return [mark_spaces(token) for token in texts[batch] if token is not None]


def mark_spaces(token: str) -> str:
    return token.replace(" ", "·").replace("\n", "↵").replace("\t", "⇥") or "∅"
