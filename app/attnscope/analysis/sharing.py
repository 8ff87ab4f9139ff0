"""Fewer key/value heads: means of groups (Ainslie et al. 2023, section 2.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attnscope.analysis.decode import cache_bytes, grouping_name, groupings
from attnscope.analysis.projections import rows_of
from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.architecture import Parameters, Shape
from attnscope.attention.attend import attend
from attnscope.attention.layer_context import MAPS
from attnscope.trace.trace import Trace


@described
class SharedHeads:
    """The same weights with fewer key/value heads, each the mean of a group."""

    name: str = doc("mha, gqa or mqa.")
    num_kv_heads: int = doc("Key/value heads.")
    own: bool = doc("Whether the trace has this number; errors are then rounding.")
    parameters: int = doc("Numbers in w_k and w_v of the layer.")
    cache_bytes: int = doc("Of the whole text, all layers together.")
    max_weight_error: Real = doc("Largest |difference| of a weight.")
    max_output_error: Real = doc("Largest |difference| of the output.")
    relative_error: Real = doc("‖difference‖ / ‖output‖, Frobenius norms.")


def sharing(trace: Trace, layer: int, batch: int) -> list[SharedHeads]:
    planned, p = trace.plan, trace.parameters[layer]
    shape, (queries, keys) = planned.model.shape, planned.setting.at(layer).lengths[batch]
    x, context = rows_of(trace, layer, batch)
    alone = planned.setting.at(layer).of_text(batch, context)
    stages = trace.layers[layer]
    weights = stages["weights"][batch, :, :queries, :keys]
    output = stages["output"][batch, :queries]
    found = []
    for kv_heads in groupings(shape):
        if shape.num_kv_heads % kv_heads:
            continue
        grouped_stages: dict[str, np.ndarray] = {}
        grouped = replace(alone.architecture, shape=replace(shape, num_kv_heads=kv_heads))
        setting = replace(alone, architecture=grouped, maps=MAPS)
        attend(x[None], pool_heads(p, shape, kv_heads), setting, grouped_stages.__setitem__)
        numbers = shape.d_model * kv_heads * (shape.d_k + shape.d_v)
        cached = cache_bytes(planned, kv_heads, planned.words.lengths[batch], batch)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = grouped_stages["output"][0] - output
            others = grouped_stages["weights"][0] - weights
            errors = _largest(others), _largest(apart), _ratio(apart, output)
        name, own = grouping_name(shape.num_heads, kv_heads), kv_heads == shape.num_kv_heads
        found.append(SharedHeads(name, kv_heads, own, numbers, cached, *errors))
    return found


def pool_heads(p: Parameters, shape: Shape, kv_heads: int) -> Parameters:
    def mean(array: np.ndarray, width: int) -> np.ndarray:
        apart = array.reshape(*array.shape[:-1], kv_heads, -1, width)
        return np.ascontiguousarray(apart.mean(axis=-2)).reshape(*array.shape[:-1], -1)

    return replace(
        p,
        w_k=mean(p.w_k, shape.d_k),
        w_v=mean(p.w_v, shape.d_v),
        b_k=None if p.b_k is None else mean(p.b_k, shape.d_k),
        b_v=None if p.b_v is None else mean(p.b_v, shape.d_v),
    )


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array).max())


def _ratio(apart: np.ndarray, whole: np.ndarray) -> float:
    lost, all_of_it = (np.linalg.norm(a.astype(np.float64)) for a in (apart, whole))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(lost / all_of_it) if lost else 0.0
