from __future__ import annotations

import numpy as np
from jaxtyping import Integer

from attnscope.errors import InvalidRequest, ShapeMismatch
from attnscope.trace.inputs import MOST_PADDED, Words
from attnscope.trace.open_model import OpenModel
from attnscope.trace.question import Question


def positions_of(
    question: Question, words: Words, model: OpenModel
) -> Integer[np.ndarray, "batch query"] | None:
    """Raises InvalidRequest and ShapeMismatch."""
    asked = question.position_ids
    if asked is None:
        return None
    at, batch, n = "position_ids", len(words.lengths), words.n
    added = question.x is None and model.position(1) is not None
    if not added and model.positions != "rotary":
        raise InvalidRequest("no_positions", at=at)
    each = [row for row in asked if isinstance(row, list)]
    rows = each or batch * [[place for place in asked if isinstance(place, int)]]
    if len(rows) != batch or any(len(row) != n for row in rows):
        raise ShapeMismatch("position_ids", at=at, batch=batch, n=n)
    ids, end = np.array(rows), model.context or max(n, MOST_PADDED)
    if ids.max() >= end:
        raise InvalidRequest("position_beyond", at=at, position=int(ids.max()), last=end - 1)
    return ids
