"""Decoding with a KV cache (Pope et al. 2022, section 2.1). The first step also fills the
cache of cross-attention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attnscope.analysis.schema import described, doc
from attnscope.attention.architecture import Shape
from attnscope.attention.attend import Past
from attnscope.attention.layer_context import MAPS, LayerContext
from attnscope.attention.transformer import KeepLayer, forward, layers_between
from attnscope.errors import InvalidRequest, TooLarge
from attnscope.trace.checks import difference
from attnscope.trace.plan import Plan
from attnscope.trace.stages import NAMES
from attnscope.trace.trace import Trace

MOST_STEPS = 1 << 14  # steps × layers
MOST_NUMBERS = 1 << 30  # in caches and maps
ITEM_BYTES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
KEYS = ("k", "v")
LayerArrays = dict[int, dict[str, np.ndarray]]


@dataclass(frozen=True)
class Step:
    """`stages` of one layer: k and v of all keys, other stages of rows start … end − 1.
    `difference`: largest one from the full trace, in any layer."""

    start: int
    end: int
    stages: dict[str, np.ndarray]
    cache_bytes: int
    difference: float


@described
class CacheVariant:
    """The cache with some number of key/value heads."""

    name: str = doc("mha: one for each head; gqa: shared by groups; mqa: one.")
    num_kv_heads: int = doc("Key/value heads.")
    own: bool = doc("Whether the trace has this number.")
    bytes: list[int] = doc("After each step, all layers together.")


def step_ends(planned: Plan, batch: int, prefill: int) -> list[int]:
    """Number of rows after each step. Raises InvalidRequest and TooLarge."""
    mask, length = planned.options.mask, planned.words.lengths[batch]
    if not mask.causal:
        raise InvalidRequest("not_causal", at="id")
    if prefill > length:
        raise InvalidRequest("prefill_too_long", at="prefill", prefill=prefill, n=length)
    if min(mask.prefix, length) > max(prefill, 1):
        raise InvalidRequest("prefill_below_prefix", at="prefill", prefix=mask.prefix)
    ends = list(range(max(prefill, 1), length + 1))
    layers = cached_layers(planned)
    steps = len(ends) * len(layers)
    if steps > MOST_STEPS:
        raise TooLarge("decode", estimate=f"{steps:,}", limit=f"{MOST_STEPS:,}")
    shape = planned.model.shape
    row = shape.num_kv_heads * (shape.d_k + shape.d_v) + len(MAPS) * shape.num_heads
    numbers = row * sum(sum(keys_of(planned, i, batch, end) for i in layers) for end in ends)
    if numbers > MOST_NUMBERS:
        raise TooLarge("decode_cache", estimate=f"{numbers:,}", limit=f"{MOST_NUMBERS:,}")
    return ends


def keys_of(planned: Plan, layer: int, batch: int, rows: int) -> int:
    return planned.lengths()[batch][1] if planned.attends_to_context(layer) else rows


def decode(trace: Trace, layer: int, batch: int, ends: list[int]) -> Iterator[Step]:
    planned, start = trace.plan, 0
    pasts: list[Past] | None = None
    setting = replace(context_of_text(trace, batch), maps=MAPS)
    layers = cached_layers(planned)
    for end in ends:
        stages: LayerArrays = {i: {} for i in layers}
        x = trace.layers[layers[0]]["x"][batch : batch + 1, start:end]
        forward(
            x,
            layers_between(trace.parameters, layers[0]),
            setting,
            keep_in(stages),
            pasts,
            layers[0],
        )
        pasts = pasts_of(stages, end)
        own = {name: stages[layer][name][0] for name in NAMES}
        held = cache_bytes(planned, planned.model.shape.num_kv_heads, end, batch)
        yield Step(start, end, own, held, _difference_from_full(trace, batch, stages, start, end))
        start = end


def context_of_text(trace: Trace, batch: int) -> LayerContext:
    context = trace.layers[-1].get("context")
    if context is not None:
        context = context[batch, : trace.plan.lengths()[batch][1]]
    return trace.plan.setting.of_text(batch, context)


def cached_layers(planned: Plan) -> range:
    return range(planned.model.encoder_layers, planned.model.num_layers)


def check_layer(planned: Plan, layer: int) -> None:
    if layer not in cached_layers(planned):
        raise InvalidRequest("decode_of_encoder", at="layer", first=cached_layers(planned)[0])


def keep_in(stages: LayerArrays) -> KeepLayer:
    def keep(layer: int, name: str, array: np.ndarray) -> None:
        stages[layer][name] = array

    return keep


def pasts_of(stages: LayerArrays, rows: int) -> list[Past]:
    return [Past(arrays["k"], arrays["v"], rows) for arrays in stages.values()]


def cache_bytes(planned: Plan, num_kv_heads: int, rows: int, batch: int) -> int:
    keys = sum(keys_of(planned, layer, batch, rows) for layer in cached_layers(planned))
    return num_kv_heads * keys * row_bytes(planned)


def row_bytes(planned: Plan) -> int:
    shape = planned.model.shape
    return (shape.d_k + shape.d_v) * ITEM_BYTES[planned.dtype]


def variants(planned: Plan, batch: int, ends: list[int]) -> list[CacheVariant]:
    shape = planned.model.shape
    return [
        CacheVariant(
            grouping_name(shape.num_heads, kv_heads),
            kv_heads,
            kv_heads == shape.num_kv_heads,
            [cache_bytes(planned, kv_heads, end, batch) for end in ends],
        )
        for kv_heads in groupings(shape)
    ]


def groupings(shape: Shape) -> list[int]:
    heads = shape.num_heads
    return [count for count in range(heads, 0, -1) if heads % count == 0]


def grouping_name(num_heads: int, num_kv_heads: int) -> str:
    if num_kv_heads == num_heads:
        return "mha"
    return "mqa" if num_kv_heads == 1 else "gqa"


def _difference_from_full(
    trace: Trace, batch: int, stages: LayerArrays, start: int, end: int
) -> float:
    worst = 0.0
    for layer, ours in stages.items():
        full = trace.layers[layer]
        keys = slice(keys_of(trace.plan, layer, batch, end))
        for name in NAMES:
            rows = keys if name in KEYS else slice(start, end)
            there = (
                full.rows(name, batch, rows)[..., keys]
                if name in MAPS
                else full[name][batch][..., rows, :]
            )
            worst = max(worst, difference(ours[name][0], there))
    return worst
