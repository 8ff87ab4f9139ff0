from __future__ import annotations

from collections.abc import Callable, Sequence

from attnscope.attention.masks import Knocked
from attnscope.errors import InvalidRequest
from attnscope.trace.open_model import OpenModel
from attnscope.trace.question import MAX_BLOCKED, Knockout


def knocked_out(
    asked: Sequence[Knockout], model: OpenModel, sizes: Callable[[int], tuple[int, int]]
) -> dict[int, Knocked]:
    cells = sum(len(one.rows) * len(one.cols) for one in asked)
    if cells > MAX_BLOCKED:
        raise InvalidRequest("knockouts_too_many", at="knockouts", cells=cells, limit=MAX_BLOCKED)
    found: dict[int, set[tuple[int | None, int, int]]] = {}
    layers, heads = model.num_layers, model.shape.num_heads
    for i, one in enumerate(asked):
        at = f"knockouts[{i}]"
        if one.layer >= layers or (one.head or 0) >= heads:
            there = {"num_layers": layers, "num_heads": heads}
            reason = "no_such_layer" if one.head is None else "no_such_head"
            dropped = [one.layer, one.head]
            raise InvalidRequest(reason, at=at, layer=one.layer, dropped=dropped, **there)
        n, m = sizes(one.layer)
        row, col = max(one.rows), max(one.cols)
        if row >= n or col >= m:
            raise InvalidRequest("blocked_out_of_range", at=at, cell=[row, col], n=n, m=m)
        found.setdefault(one.layer, set()).update(one.cells)
    return {layer: frozenset(cells) for layer, cells in found.items()}
