"""What each head is worth here: the log-probability of a token with that head dropped.

A dropped head's columns of concat are 0, as if its rows of w_o were: the rest of the model sees
what it would have seen without it (Michel, Levy & Neubig 2019, "Are sixteen heads really better
than one?"). Layers below the head are what they were, so each run begins at its layer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app import stopping
from app.analysis.predictions import check_finite, unembedding_of
from app.attention.transformer import encode, forward, some
from app.attention.unembed import log_softmax
from app.errors import TooLarge
from app.trace.plan import Plan
from app.trace.trace import Trace

MOST_NUMBERS = 1 << 30  # of all stages of all runs: some seconds
MOST_PRODUCTS = 10**12  # of all runs with the matrices: half a minute


def check_cost(planned: Plan) -> None:
    """Raises TooLarge where the runs would take long."""
    runs = planned.model.num_layers * planned.model.shape.num_heads
    rows = planned.batch * planned.n * planned.model.num_layers
    products = runs * rows * planned.parameter_numbers() // 2  # half the layers are run again
    for cost, limit in ((runs * planned.numbers, MOST_NUMBERS), (products, MOST_PRODUCTS)):
        if cost > limit:
            raise TooLarge("ablations", estimate=f"{cost:,}", limit=f"{limit:,}")


def log_probability(trace: Trace, batch: int, row: int, piece: int) -> float:
    """ln p of a piece after a row, as the trace has it; raises InvalidRequest where numbers
    overflowed."""
    found = _of(trace, trace.layers[-1]["block_output"][batch, [row]], piece)
    check_finite(found)
    return found


def dropped(trace: Trace, batch: int, row: int, piece: int) -> list[list[float]]:
    """[layer][head]: ln p of the piece with that head dropped beside those that are already."""
    planned = trace.plan
    context = trace.layers[-1].get("context")
    setting = planned.setting.of_text(batch, None if context is None else context[batch])
    setting = replace(setting, keeps_maps=False)  # of each run only the end is looked at
    model = planned.model

    def without(layer: int, head: int) -> float:
        stopping.check()
        one = replace(setting, drop=setting.drop | {(layer, head)})
        x = trace.layers[layer]["x"][batch : batch + 1]
        if model.encodes(layer):
            context = encode(x, trace.parameters, one, _forget, model.context_norm, layer)
            one, layer = replace(one, context=context), model.encoder_layers
            x = trace.layers[layer]["x"][batch : batch + 1]
        y = forward(x, some(trace.parameters, layer), one, _forget, first=layer)
        return _of(trace, y[0, [row]], piece)

    heads = range(planned.model.shape.num_heads)
    return [[without(layer, head) for head in heads] for layer in range(planned.model.num_layers)]


def _forget(layer: int, name: str, array: np.ndarray) -> None:
    """Of a run, the end alone is kept."""


def _of(trace: Trace, y: np.ndarray, piece: int) -> float:
    logits = unembedding_of(trace.plan).logits(y, trace.plan.options.grid)
    return float(log_softmax(logits)[0, piece])
