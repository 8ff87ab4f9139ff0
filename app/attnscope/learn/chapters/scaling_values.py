"""Values of the chapter on scaling."""

from __future__ import annotations

import numpy as np

from attnscope.learn.exercises import traced
from attnscope.trace.trace import Trace

TEXT = "The animal didn't cross the street because it was too tired."
FACTORS = (1, 2, 4)


def norm_rows() -> list[list[str]]:
    x = traced({"text": TEXT}).layers[0]["x"][0]
    table = []
    for factor in FACTORS:
        found = [str(factor)]
        for block in ("attention", "pre_norm"):
            model = {"source": "seeded", "block": block}
            trace = traced({"x": (factor * x).tolist(), "causal": False, "model": model})
            found += spread_of(trace)
        table.append(found)
    return table


def spread_of(trace: Trace) -> list[str]:
    layer = trace.layers[0]
    largest = layer["weights"].max(axis=-1).mean()
    return [f"{np.std(layer['scaled_scores']):.2f}", f"{largest:.2f}"]
