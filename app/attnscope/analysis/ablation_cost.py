from __future__ import annotations

import numpy as np

from attnscope.analysis.ablations import group_size, heads_of, run_bytes
from attnscope.attention.dtypes import stored_dtype
from attnscope.errors import TooLarge
from attnscope.trace.plan import Plan

MOST_STEPS = 10**12  # a minute on two cores
PRODUCTS_PER_NUMBER = 32


def check_cost(planned: Plan, count: int | None = None) -> None:
    """Raise TooLarge if ablating the first `count` heads (None: all) takes too long."""
    each = steps_of(planned)[:count]
    if (total := sum(each)) <= MOST_STEPS:
        return
    words = {"heads": len(each), "estimate": f"{total:,}", "limit": f"{MOST_STEPS:,}"}
    raise TooLarge("ablations", at="strongest", **words)


def steps_of(planned: Plan) -> list[int]:
    """Multiplications that ablating each head takes, in its layer, later layers and the
    unembedding."""
    model = planned.model
    matrices = [planned.parameter_numbers(layer) for layer in range(model.num_layers)]
    stages = planned.numbers - (0 if planned.shares_parameters else sum(matrices))
    numbers = PRODUCTS_PER_NUMBER * stages // (planned.batch * model.num_layers)
    layers = [numbers + planned.sizes(i)[0] * matrix for i, matrix in enumerate(matrices)]
    end = 0 if model.unembedding is None else model.unembedding.matrix.size
    return [end + sum(layers[head.layer :]) for head in heads_of(planned)]


def bytes_of(planned: Plan) -> int:
    runs = min(group_size(planned), len(heads_of(planned)))
    head = planned.model.unembedding
    logits = 0 if head is None else head.vocabulary * np.dtype(stored_dtype(planned.dtype)).itemsize
    return runs * (run_bytes(planned) + logits)
