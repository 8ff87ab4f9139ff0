from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import cast

import numpy as np

from attnscope import cancellation
from attnscope.attention.architecture import Parameters
from attnscope.attention.dtypes import round_to_grid, stored_dtype
from attnscope.attention.layer_context import MAPS, LayerContext, LayerStages, StoredStages
from attnscope.attention.ops import Norm
from attnscope.attention.overview import Tick
from attnscope.attention.recomputed_stages import KEPT, KEPT_STAGES, RecomputedStages, StageCache
from attnscope.attention.transformer import encode, forward, layers_between
from attnscope.attention.transformer import layer as run_layer
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.checks import UNCHECKED, Checks, check, check_captured, non_finite_in
from attnscope.trace.embed import Embedded, embed
from attnscope.trace.long_map import COARSE, LongMap
from attnscope.trace.long_text import HeadBlocks, LongLayers
from attnscope.trace.passes import Passes, pass_name
from attnscope.trace.plan import Plan
from attnscope.trace.stage_map import Picture, Reduce, Squares, StageMap
from attnscope.trace.stages import BY_NAME, out_of_range, unknown_stage
from attnscope.trace.weight_rows import DenseRows, FactoredRows, WeightRows

ALL = slice(None)


@dataclass(frozen=True)
class Trace:
    """`block` and `reduce` read any stage of any text; `layers[i][stage]` has no maps of long
    texts."""

    plan: Plan
    start: Embedded
    layers: Sequence[LayerStages]
    parameters: Sequence[Parameters]
    checks: Checks
    elapsed_ms: float
    context: Embedded | None = None

    @cached_property
    def bytes(self) -> int:
        each = [a for layer in self.layers for a in layer.kept.values()]
        arrays = {id(a): a for a in each}.values()  # by id: a block_output is the next layer's x
        layers = [] if self.plan.shares_parameters else self.parameters
        tensors = [a for p in layers for a in p.arrays().values()]
        again = KEPT if self.plan.remakes else 0
        return again + sum(a.nbytes for a in (*arrays, *tensors)) + self.start.bytes

    def block(
        self, stage: str, layer: int, head: int, rows: slice = ALL, cols: slice = ALL,
        batch: int = 0,
    ) -> np.ndarray:  # fmt: skip
        """Numbers [rows, cols] of a stage or parameter; `head` is ignored without a head axis."""
        self.check(stage, layer, head, batch)
        block: np.ndarray = self.numbers(stage, layer, head, batch)[rows, cols]
        return block

    def reduce(
        self, stage: str, layer: int, head: int, squares: Squares, how: Reduce, batch: int = 0
    ) -> Picture:
        return self.map(stage, layer, head, batch).reduce(squares, how)

    def rows(self, layer: int, batch: int = 0) -> Iterator[WeightRows]:
        """Statistics of rows of weights without padding; of long texts head by head."""
        queries, keys = self.plan.setting.at(layer).lengths[batch]
        weights = self.layers[layer]["weights"][batch, :, :queries, :keys]
        yield DenseRows(weights, self._tokens(layer, batch, queries))

    def map(
        self, stage: str, layer: int, head: int, batch: int = 0, tick: Tick | None = None
    ) -> StageMap:
        """tick(done, of) reports the progress of a pass, if any."""
        self.check(stage, layer, head, batch)
        numbers = self.numbers(stage, layer, head, batch)
        return StageMap(numbers, self.plan.setting.at(layer), stage, batch, head)

    def is_near(self, stage: str, layer: int, head: int, batch: int, *, passed: bool) -> bool:
        """Whether reading takes milliseconds. `passed`: no further pass is needed."""
        return True

    def check(self, stage: str, layer: int, head: int, batch: int) -> None:
        """Raises UnknownStage, NotCaptured, InvalidRequest."""
        if not 0 <= layer < len(self.layers):
            raise out_of_range("layer", layer, len(self.layers))
        if stage in BY_NAME:
            self.plan.check_has_stage(stage, layer)
        if stage not in self.layers[layer] and stage not in self.parameters[layer].arrays():
            raise unknown_stage(stage)
        shape, axis = self.plan.model.shape, BY_NAME[stage].head_axis
        heads = shape.num_kv_heads if axis == "kv_head" else shape.num_heads
        if axis is not None and not 0 <= head < heads:
            raise out_of_range("head", head, heads)
        if not 0 <= batch < self.plan.batch:
            raise out_of_range("batch", batch, self.plan.batch)

    def numbers(self, stage: str, layer: int, head: int, batch: int) -> np.ndarray:
        """The last two axes of a stage or parameter; `HeadBlocks` for maps of long texts."""
        stages = self.layers[layer]
        if stage not in stages:
            return np.atleast_2d(self.parameters[layer].arrays()[stage])
        if BY_NAME[stage].head_axis is None:
            array: np.ndarray = stages[stage][batch]
            return array
        return stages.head(stage, batch, head)

    def _tokens(self, layer: int, batch: int, queries: int) -> list[str | None] | None:
        tokens = self.plan.words_of(layer).tokens
        return None if tokens is None else tokens[batch][:queries]


@dataclass(frozen=True)
class LongTrace(Trace):
    """Maps are computed block by block; a pass gives range, coarse squares and rows."""

    layers: LongLayers
    passes: Passes = field(default_factory=Passes)
    coarse: int = COARSE

    @cached_property
    def bytes(self) -> int:
        return self.plan.long_kept + self.start.bytes

    def rows(self, layer: int, batch: int = 0) -> Iterator[WeightRows]:
        for head in range(self.plan.model.shape.num_heads):
            found = self._long_map("weights", layer, head, batch)
            rows = found.rows()
            tokens = self._tokens(layer, batch, len(rows.entropy))
            yield FactoredRows(found.factored.of_head(batch, head), rows, tokens)

    def map(
        self, stage: str, layer: int, head: int, batch: int = 0, tick: Tick | None = None
    ) -> StageMap:
        if stage in MAPS:
            return self._long_map(stage, layer, head, batch, tick)
        return super().map(stage, layer, head, batch)

    def _long_map(
        self, stage: str, layer: int, head: int, batch: int, tick: Tick | None = None
    ) -> LongMap:
        self.check(stage, layer, head, batch)
        blocks = cast(HeadBlocks, self.numbers(stage, layer, head, batch))
        name = pass_name(self.plan.id, stage, layer, head, batch)
        setting = self.plan.setting.at(layer)
        return LongMap(blocks, setting, self.passes, name, tick, coarse=self.coarse)

    def is_near(self, stage: str, layer: int, head: int, batch: int, *, passed: bool) -> bool:
        name = pass_name(self.plan.id, stage, layer, head, batch)
        known = passed or self.passes.known(name) is not None
        return stage in MAPS and known and self.layers.has_map(layer)


def answer(planned: Plan, passes: Passes | None = None) -> Trace:
    """Compute a trace. Without `passes`, a long trace has a cache of its own."""
    started = time.perf_counter()
    if isinstance(planned, CapturedPlan):
        return _captured(planned, started)
    dtype, grid = stored_dtype(planned.dtype), planned.options.grid
    parameters = planned.model.layers()
    if not planned.shares_parameters:
        parameters = [p.astype(dtype, grid) for p in parameters]
    question, model = planned.question, planned.model
    start = embed(planned.words, question.x, model, planned.positions)
    asked = None
    if planned.context is not None:
        asked = embed(planned.context, question.context_x, model.source or model)
    x = round_to_grid(start.x(dtype), grid)
    context = None if asked is None else round_to_grid(asked.x(dtype), grid)
    setting = replace(planned.setting, context=context, between=cancellation.check)
    if planned.long:
        start, long = start.astype(dtype), LongLayers(x, parameters, setting)
        return LongTrace(
            planned, start, long, parameters, UNCHECKED, _milliseconds_since(started), asked,
            passes=passes or Passes(),
        )  # fmt: skip
    layers, gone, setting = _run(x, parameters, setting, model.context_norm)
    checks = check(layers, parameters, setting)
    checks = replace(checks, non_finite=(checks.non_finite or 0) + gone)
    elapsed = _milliseconds_since(started)
    return Trace(planned, start, layers, parameters, checks, elapsed, context=asked)


def _captured(planned: CapturedPlan, started: float) -> Trace:
    layers = [layer.stages for layer in planned.capture.layers]
    checks = check_captured(layers, planned.lengths(), planned.capture.max_capture_error)
    nothing = Embedded(np.empty((planned.batch, 0, 0)), None)
    elapsed = _milliseconds_since(started)
    return Trace(planned, nothing, layers, planned.model.layers(), checks, elapsed)


def _milliseconds_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 3)


def _run(
    x: np.ndarray, parameters: Sequence[Parameters], setting: LayerContext, behind: Norm | None
) -> tuple[Sequence[LayerStages], int, LayerContext]:
    """Returns stages, the count of non-finite numbers in discarded ones, and the setting with the
    encoder's output as context. `behind`: norm of that output."""
    stages = [StoredStages() for _ in range(len(parameters))]  # iterating would read the weights
    names: list[list[str]] = [[] for _ in stages]
    gone = 0

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        nonlocal gone
        cancellation.check()
        names[layer].append(name)
        if setting.maps or name in KEPT_STAGES:
            stages[layer][name] = array
        else:
            gone += non_finite_in(array)

    first = setting.architecture.encoder_layers
    if first and setting.context is not None:
        context = encode(setting.context, parameters, setting, keep, behind)
        setting = replace(setting, context=context)
    forward(x, layers_between(parameters, first), setting, keep, first=first)
    if setting.maps == MAPS:
        return stages, gone, setting

    def again(i: int) -> Mapping[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        run_layer(stages[i]["x"], parameters[i], setting.at(i), found.__setitem__)
        return found

    made, remade = StageCache(), []
    for i, kept in enumerate(stages):
        own = setting.at(i)
        table = parameters[i].relative_bias if own.architecture.positions == "relative" else None
        remade.append(RecomputedStages(kept, names[i], own, made, partial(again, i), table))
    return remade, gone, setting
