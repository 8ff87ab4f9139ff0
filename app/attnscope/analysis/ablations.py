"""The log-probability of a token with each head dropped (Michel, Levy & Neubig 2019).

A run starts at the layer of its head. The runs of a group share the matrices of a layer, but each
multiplies alone, so that grouping does not change a bit of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from attnscope import cancellation
from attnscope.analysis.contributions import contributions, logit_is_sum
from attnscope.analysis.predictions import check_finite, logits_at, unembedding_of
from attnscope.attention import thread_pool
from attnscope.attention.dtypes import stored_dtype
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.transformer import encode, forward
from attnscope.attention.unembed import log_softmax
from attnscope.errors import TooLarge
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace

FIRST = 10
AT_ONCE = 24
MOST_BYTES = 64 << 20  # for x of a group of runs


class Head(NamedTuple):
    layer: int
    head: int


class Ablation(NamedTuple):
    head: Head
    log_probability: float


@dataclass
class Run:
    """A run without one head. `x` [1, row, d_model] is the input of its next layer."""

    head: Head
    setting: LayerContext
    x: np.ndarray


def heads_of(planned: Plan) -> list[Head]:
    layers, heads = range(planned.model.num_layers), range(planned.model.shape.num_heads)
    return [Head(layer, head) for layer in layers for head in heads]


def strongest_first(trace: Trace, batch: int, row: int, piece: int) -> list[Head]:
    heads = heads_of(trace.plan)
    if not logit_is_sum(trace.plan):
        return heads
    parts = contributions(trace, batch, row, piece).heads
    return sorted(heads, key=lambda one: -abs(parts[one.layer][one.head]))


def log_probability(trace: Trace, batch: int, row: int, piece: int) -> float:
    """ln p of a piece. Raises NoPredictions, or InvalidRequest on overflow."""
    found = float(log_softmax(logits_at(trace, batch, [row]))[0, piece])
    check_finite(found)
    return found


def ablate_heads(trace: Trace, batch: int, row: int, piece: int) -> list[list[float]]:
    """ln p by [layer][head]."""
    groups = ablate_in_groups(trace, batch, row, piece, heads_of(trace.plan))
    found: list[list[float]] = [[] for _ in range(trace.plan.model.num_layers)]
    for head, log in chain.from_iterable(groups):
        found[head.layer].append(log)
    return found


def ablate_in_groups(
    trace: Trace, batch: int, row: int, piece: int, heads: Sequence[Head], *,
    first: int = FIRST, most: int = AT_ONCE,
) -> Iterator[list[Ablation]]:  # fmt: skip
    """Yield one group of at most `first` heads, then groups of `group_size`."""
    size = group_size(trace.plan, most)
    ends = range(min(first, size), len(heads) + size, size)
    for start, end in zip((0, *ends), ends, strict=False):
        runs = _run(trace, batch, heads[start:end])
        logits = unembedding_of(trace.plan).logits_apart(
            [run.x[0, [row]] for run in runs], trace.plan.options.grid
        )
        yield [
            Ablation(run.head, float(log_softmax(own)[0, piece]))
            for run, own in zip(runs, logits, strict=True)
        ]


def group_size(planned: Plan, most: int = AT_ONCE) -> int:
    return max(2, min(most, MOST_BYTES // run_bytes(planned)))


def run_bytes(planned: Plan) -> int:
    rows = planned.n + (planned.m if planned.model.encoder_layers else 0)
    return np.dtype(stored_dtype(planned.dtype)).itemsize * rows * planned.model.output_width


def _run(trace: Trace, batch: int, heads: Sequence[Head]) -> list[Run]:
    planned, runs = trace.plan, []
    context = trace.layers[-1].get("context")
    setting = planned.setting.of_text(batch, None if context is None else context[batch])
    setting = replace(setting, maps=())
    for layer in range(min(head.layer for head in heads), planned.model.num_layers):
        x = trace.layers[layer]["x"][batch : batch + 1]
        runs += [Run(head, replace(setting, drop=setting.drop | {head}), x)
                 for head in heads if head.layer == layer]  # fmt: skip
        _one_layer(trace, batch, layer, runs)
    return sorted(runs, key=lambda run: heads.index(run.head))


def _one_layer(trace: Trace, batch: int, layer: int, runs: list[Run]) -> None:
    model = trace.plan.model
    parameters = trace.parameters[layer]
    ends = model.encoder_layers == layer + 1

    def run_layer(run: Run) -> None:
        cancellation.check()
        if not ends:
            run.x = forward(run.x, [parameters], run.setting, _discard, first=layer)
            return
        context = encode(run.x, trace.parameters, run.setting, _discard, model.context_norm, layer)
        run.setting = replace(run.setting, context=context)
        run.x = trace.layers[layer + 1]["x"][batch : batch + 1]

    thread_pool.for_each(run_layer, runs, spread=len(runs) > 1)


def _discard(layer: int, name: str, array: np.ndarray) -> None: ...


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
    """Multiplications to ablate each head: its layer, later layers and the unembedding."""
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
