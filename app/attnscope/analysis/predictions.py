"""The most probable next tokens, and the surprisal of actual ones. Masked language models predict
the token at a position, without surprisal."""

from __future__ import annotations

import math

import numpy as np

from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.dtypes import stored_dtype
from attnscope.attention.unembed import Unembedding, log_softmax
from attnscope.errors import InvalidRequest, NoPredictions
from attnscope.installed.model_registry import shipped
from attnscope.trace.inputs import NO_PIECE
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace

ROWS = 64  # rows of logits in memory at once


@described
class LikelyPiece:
    """A token and its probability."""

    id: int = doc("Row of the unembedding.")
    piece: str = doc("The text it stands for; <C3> is a byte of a character.")
    probability: Real = doc("Sums to 1 over all pieces.")
    log_probability: Real = doc("Its natural logarithm.")


def check_predicts(planned: Plan) -> None:
    """Raises NoPredictions."""
    if planned.model.unembedding is None:
        models = [name for name, one in shipped().models.items() if one.config.predicts]
        raise NoPredictions("no_predictions", at="id", models=", ".join(models))


def unembedding_of(planned: Plan) -> Unembedding:
    """Raises NoPredictions."""
    check_predicts(planned)
    assert planned.model.unembedding is not None
    return planned.model.unembedding.astype(stored_dtype(planned.dtype), planned.options.grid)


def logits_at(trace: Trace, batch: int, rows: slice | list[int]) -> np.ndarray:
    planned = trace.plan
    y = trace.layers[-1]["block_output"][batch, rows]
    return unembedding_of(planned).logits(y, planned.options.grid)


def logs_at(trace: Trace, batch: int, rows: list[int]) -> np.ndarray:
    """ln p of all tokens after each row; NaN on overflow."""
    logs = log_softmax(logits_at(trace, batch, rows))
    logs[~np.isfinite(logs).all(axis=-1)] = np.nan
    return logs


def check_finite(numbers: np.ndarray | float) -> None:
    """Raise InvalidRequest on overflow."""
    if not np.isfinite(numbers).all():
        raise InvalidRequest("overflowed", at="id")


def ids_of(planned: Plan, batch: int) -> np.ndarray:
    """Ids of the tokens; NO_PIECE for tokens outside the vocabulary."""
    ids = planned.words.ids
    return np.full(planned.words.lengths[batch], NO_PIECE) if ids is None else ids[batch]


def likeliest(trace: Trace, batch: int, row: int, top: int) -> list[LikelyPiece]:
    """The `top` likeliest tokens, equal ones by id; empty on overflow."""
    logs = logs_at(trace, batch, [row])[0]
    if np.isnan(logs).any():
        return []
    order = np.argsort(-logs, kind="stable")[:top]
    pieces = trace.plan.model.pieces
    assert pieces is not None
    return [LikelyPiece(int(i), pieces.names[i], math.exp(logs[i]), float(logs[i])) for i in order]


def surprisals(trace: Trace, batch: int) -> list[float | None]:
    """−ln p in nats; None for the first token, unknown tokens, overflow and masked models."""
    ids = ids_of(trace.plan, batch)
    if trace.plan.model.masked:
        return [None] * len(ids)
    found: list[float | None] = [None]
    for start in range(0, len(ids) - 1, ROWS):
        rows = list(range(start, min(start + ROWS, len(ids) - 1)))
        logs = logs_at(trace, batch, rows)
        came = ids[start + 1 : start + 1 + len(rows)].tolist()
        found += [None if i == NO_PIECE or np.isnan(logs[r, i]) else -float(logs[r, i])
                  for r, i in enumerate(came)]  # fmt: skip
    return found


def next_or_likeliest(trace: Trace, batch: int, row: int) -> int:
    """Id of the next token, or of the likeliest. Raises InvalidRequest on overflow."""
    ids = ids_of(trace.plan, batch)
    if row + 1 < len(ids) and ids[row + 1] != NO_PIECE and not trace.plan.model.masked:
        return int(ids[row + 1])
    expected = likeliest(trace, batch, row, 1)
    if not expected:
        raise InvalidRequest("overflowed", at="id")
    return expected[0].id
