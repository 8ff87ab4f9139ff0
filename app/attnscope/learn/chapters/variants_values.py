from __future__ import annotations

from functools import cache

import numpy as np

from attnscope.learn.exercises import compute_trace
from attnscope.learn.parts import Body
from attnscope.trace.trace import Trace

TEXT = "The animal didn't cross the street because it was too tired."
D_MODEL = 64
HEADS = (1, 2, 4, 8)
BIASES = ("b_q", "b_k", "b_v")
SAME = 1e-12  # smaller differences are rounding errors


def count_rows() -> list[list[str]]:
    table = []
    for heads in HEADS:
        model = {"source": "seeded", "d_model": D_MODEL, "num_heads": heads}
        trace = compute_trace({"tokens": ["one"], "model": model})
        d_k = trace.plan.model.shape.d_k
        arrays = trace.parameters[0].arrays()
        every = sum(arrays[name].size for name in ("w_q", "w_k", "w_v"))
        one = f"3 × {D_MODEL} × {d_k} = {every // heads:,}"
        table.append([str(heads), str(d_k), one, f"{heads} × {every // heads:,} = {every:,}"])
    return table


@cache
def biased() -> tuple[Body, Trace]:
    model = {"source": "seeded", "d_model": D_MODEL, "num_heads": 4, "bias": True}
    drawn = compute_trace({"text": TEXT, "causal": False, "model": model})
    given = {name: array.tolist() for name, array in drawn.parameters[0].arrays().items()}
    body = {
        "x": drawn.layers[0]["x"][0].tolist(), "causal": False,
        "model": {"source": "explicit", "num_heads": 4, **given},
    }  # fmt: skip
    return body, compute_trace(body)


def bias_rows() -> list[list[str]]:
    body, whole = biased()
    table = []
    for bias in BIASES:
        without = compute_trace({**body, "model": {**body["model"], bias: None}})
        table.append([bias, *(_moved(whole, without, stage)
                             for stage in ("scores", "weights", "output"))])  # fmt: skip
    return table


def _moved(one: Trace, other: Trace, stage: str) -> str:
    most = float(np.abs(one.layers[0][stage] - other.layers[0][stage]).max())
    return "0" if most < SAME else f"{most:.3f}"


def parameters() -> dict[str, str]:
    model = {"source": "seeded", "d_model": 512, "num_heads": 8}
    arrays = compute_trace({"tokens": ["one"], "model": model}).parameters[0].arrays()
    three = sum(arrays[name].size for name in ("w_q", "w_k", "w_v"))
    return {"three": f"{three:,}", "four": f"{three + arrays['w_o'].size:,}"}
