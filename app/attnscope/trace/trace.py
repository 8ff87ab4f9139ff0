from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from attnscope import cancellation
from attnscope.attention.dtypes import fit, held
from attnscope.attention.layer_context import MAPS, LayerContext
from attnscope.attention.layer_stages import LayerStages, StoredStages
from attnscope.attention.ops import Norm
from attnscope.attention.parameters import Parameters
from attnscope.attention.recomputed_stages import KEPT, STAYS, RecomputedStages, StageCache
from attnscope.attention.transformer import encode, forward, some
from attnscope.attention.transformer import layer as run_layer
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.checks import UNCHECKED, Checks, check, check_captured, non_finite_in
from attnscope.trace.embed import Embedded, embed
from attnscope.trace.long_text import LongLayers
from attnscope.trace.plan import Plan


@dataclass(frozen=True)
class Trace:
    """`layers[i][stage]` has the axes of the stage table."""

    plan: Plan
    start: Embedded
    layers: Sequence[LayerStages]
    parameters: Sequence[Parameters]
    checks: Checks
    elapsed_ms: float
    context: Embedded | None = None

    @cached_property
    def bytes(self) -> int:
        if self.plan.long:
            return self.plan.long_kept + self.start.bytes
        each = [a for layer in self.layers for a in layer.kept.values()]
        arrays = {id(a): a for a in each}.values()  # shared: an output is the next x
        layers = [] if self.plan.shares_parameters else self.parameters
        tensors = [a for p in layers for a in p.arrays().values()]
        again = KEPT if self.plan.remakes else 0
        return again + sum(a.nbytes for a in (*arrays, *tensors)) + self.start.bytes


def answer(planned: Plan) -> Trace:
    started = time.perf_counter()
    if isinstance(planned, CapturedPlan):
        return _captured(planned, started)
    dtype, grid = held(planned.dtype), planned.options.grid
    parameters = planned.model.layers()
    if not planned.shares_parameters:
        parameters = [p.astype(dtype, grid) for p in parameters]
    question, model = planned.question, planned.model
    start = embed(planned.words, question.x, model, planned.positions)
    asked = None
    if planned.context is not None:
        asked = embed(planned.context, question.context_x, model.source or model)
    x = fit(start.x(dtype), grid)
    context = None if asked is None else fit(asked.x(dtype), grid)
    setting = replace(planned.setting, context=context, between=cancellation.check)
    if planned.long:
        start, long = start.astype(dtype), LongLayers(x, parameters, setting)
        elapsed = (time.perf_counter() - started) * 1e3
        return Trace(planned, start, long, parameters, UNCHECKED, round(elapsed, 3), context=asked)
    layers, gone, setting = _run(x, parameters, setting, model.context_norm)
    checks = check(layers, parameters, setting)
    checks = replace(checks, non_finite=(checks.non_finite or 0) + gone)
    elapsed = (time.perf_counter() - started) * 1e3
    return Trace(planned, start, layers, parameters, checks, round(elapsed, 3), context=asked)


def _captured(planned: CapturedPlan, started: float) -> Trace:
    layers = [layer.stages for layer in planned.capture.layers]
    checks = check_captured(layers, planned.lengths(), planned.capture.max_capture_error)
    nothing = Embedded(np.empty((planned.batch, 0, 0)), None)
    elapsed = (time.perf_counter() - started) * 1e3
    parameters = planned.model.layers()
    return Trace(planned, nothing, layers, parameters, checks, round(elapsed, 3))


def _run(
    x: np.ndarray, parameters: Sequence[Parameters], setting: LayerContext, behind: Norm | None
) -> tuple[Sequence[LayerStages], int, LayerContext]:
    """Stages, number of non-finite values not kept, and the setting with the encoder's output.
    `behind`: its last norm."""
    stages = [StoredStages() for _ in range(len(parameters))]
    names: list[list[str]] = [[] for _ in stages]
    gone = 0

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        nonlocal gone
        cancellation.check()
        names[layer].append(name)
        if setting.maps or name in STAYS:
            stages[layer][name] = array
        else:
            gone += non_finite_in(array)

    first = setting.architecture.encoder_layers
    if first and setting.context is not None:
        context = encode(setting.context, parameters, setting, keep, behind)
        setting = replace(setting, context=context)
    forward(x, some(parameters, first), setting, keep, first=first)
    if setting.maps == MAPS:
        return stages, gone, setting

    def again(i: int) -> Mapping[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        run_layer(stages[i]["x"], parameters[i], setting.at(i), found.__setitem__)
        return found

    made = StageCache()
    near = [setting.at(i).architecture.positions == "relative" for i in range(len(stages))]
    tables = (parameters[i].relative_bias if one else None for i, one in enumerate(near))
    return (
        [
            RecomputedStages(one, names[i], setting.at(i), made, partial(again, i), table)
            for i, (one, table) in enumerate(zip(stages, tables, strict=True))
        ],
        gone,
        setting,
    )
