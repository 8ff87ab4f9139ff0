"""answer(plan) → Trace: read the words, open the model, run the layers, check the numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.attention.dtypes import fit, held
from app.attention.parameters import Parameters
from app.attention.transformer import encode, forward, some
from app.trace import stopping
from app.trace.checks import Checks, check
from app.trace.embed import Embedded, embed
from app.trace.plan import Plan


@dataclass(frozen=True)
class Trace:
    """Every stage of every layer; `layers[i][stage]` has the axes of the stage table. The operands
    between the stages (stages.OPERANDS) are among them, where the question has any."""

    plan: Plan
    embedding: np.ndarray
    position: np.ndarray | None
    layers: list[dict[str, np.ndarray]]
    parameters: Sequence[Parameters]
    checks: Checks
    elapsed_ms: float
    context: Embedded | None = None

    @property
    def bytes(self) -> int:
        arrays = [a for layer in self.layers for a in layer.values()]
        layers = [] if self.plan.shares_parameters else self.parameters
        tensors = [a for p in layers for a in p.arrays().values()]
        return sum(a.nbytes for a in (*arrays, *tensors, self.embedding))


def answer(planned: Plan) -> Trace:
    """Runs the layers and checks the numbers."""
    started = time.perf_counter()
    dtype, grid = held(planned.dtype), planned.options.grid
    parameters = planned.model.layers()
    if not planned.shares_parameters:
        parameters = [p.astype(dtype, grid) for p in parameters]
    question, model = planned.question, planned.model
    start = embed(planned.words, question.x, model)
    asked = None
    if planned.context is not None:
        asked = embed(planned.context, question.context_x, model.source or model)
    x = fit(start.x(dtype), grid)
    context = None if asked is None else fit(asked.x(dtype), grid)
    layers: list[dict[str, np.ndarray]] = [{} for _ in parameters]

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        stopping.check()
        layers[layer][name] = array

    first = model.encoder_layers
    if first and context is not None:
        context = encode(context, parameters, planned.setting, keep, model.context_norm)
    setting = replace(planned.setting, context=context)
    forward(x, some(parameters, first), setting, keep, first=first)
    checks = check(layers, parameters, setting)
    elapsed = (time.perf_counter() - started) * 1e3
    return Trace(
        planned, start.embedding, start.position, layers, parameters, checks, round(elapsed, 3),
        context=asked,
    )  # fmt: skip
