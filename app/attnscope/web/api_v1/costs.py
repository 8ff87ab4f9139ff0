from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis import costs
from attnscope.analysis.costs import MAPS, PROJECTIONS, Cost, Count, LayerKind, Work, open_cells
from attnscope.analysis.schema import described, doc
from attnscope.attention.architecture import Shape
from attnscope.attention.dtypes import Dtype
from attnscope.attention.masks import Mask
from attnscope.errors import ShapeMismatch
from attnscope.trace.question import MAX_SEED, MAX_WIDTH
from attnscope.web.api_v1.answers import json_reply
from attnscope.web.http.requests import JsonRoute, within
from attnscope.weights.layouts.shapes import MAX_HEADS

router = APIRouter(tags=["laboratory"], route_class=JsonRoute)

MAX_TOKENS = 1 << 17
MAX_HIDDEN, MAX_KERNEL = 4 * MAX_WIDTH, 64
LENGTHS = [2**power for power in range(MAX_TOKENS.bit_length())]
EXACT = MAX_SEED  # JSON readers round larger integers
ITEM = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


HEAD_WIDTH = within(1, MAX_WIDTH, "Left out: d_model / num_heads.")


def pattern(about: str, least: int = 1) -> Any:
    return within(least, MAX_TOKENS, f"A pattern: {about}")


@described
class CostReply:
    """Operations and bytes; counts above 2⁵³ are rounded to floats."""

    multiplications: Count = doc("Including divisions.")
    additions: Count = doc("Including subtractions.")
    exponentials: Count = doc("Of the softmax, or of elu.")
    read_bytes: Count = doc("Of inputs and matrices, once per pass.")
    written_bytes: Count = doc("Of results.")


@described
class OfStage:
    stage: str = doc("As in the table of stages.")


@described
class StageCostReply(CostReply, OfStage):
    """Cost of one stage."""


@described
class ProjectionsReply:
    """q, k and v as three products, and as one with concatenated matrices."""

    three: CostReply = doc("x is read three times.")
    fused: CostReply = doc("x is read once; the operations are the same.")


@described
class GenerationReply:
    """Token by token, under a causal mask."""

    without_cache: CostReply = doc("For each token, all earlier ones are recomputed.")
    with_cache: CostReply = doc("Keys and values are cached.")
    cache_bytes: Count = doc("Keys and values of the whole text, in one layer.")


@described
class AtLengthReply:
    """Multiplications at one length."""

    n: int = doc("Tokens.")
    projections: Count = doc("Of q, k, v and output.")
    maps: Count = doc("From the scores to the head outputs.")
    linear: Count = doc("Linear attention in place of the maps.")
    without_cache: Count = doc("All stages, token by token, with earlier tokens recomputed.")
    with_cache: Count = doc("All stages, token by token, with keys and values cached.")


@described
class LayerCostsReply:
    """Costs of one layer for one text."""

    n: int = doc("Tokens.")
    num_heads: int = doc("Heads.")
    num_kv_heads: int = doc("Key/value heads.")
    d_model: int = doc("Width of x.")
    d_k: int = doc("Width of q and k in a head.")
    d_v: int = doc("Width of v in a head.")
    pairs: int = doc("Open pairs of a query and a key, in the map of one head.")
    crossing: float = doc("The n above which n² pairs take more multiplications than projections.")
    stages: list[StageCostReply] = doc("In the order of computation.")
    total: CostReply = doc("Of all stages.")
    projections: ProjectionsReply = doc("Three products or one.")
    generation: GenerationReply = doc("With and without a cache.")
    linear: CostReply = doc("Linear attention in place of scores … head outputs.")
    layers: list[LayerKind] = doc("Other kinds of layers, d_model wide.")
    lengths: list[AtLengthReply] = doc(
        "At n = 1, 2, 4 … 131,072 and at the n asked for, with every pair computed."
    )


@router.get("/laboratory/costs", summary="What attention costs", response_model=LayerCostsReply)
async def layer_costs(
    request: Request,
    n: Annotated[int, within(1, MAX_TOKENS, "Tokens of the text.")] = 1024,
    d_model: Annotated[int, within(1, MAX_WIDTH, "d_model, width of x.")] = 512,
    num_heads: Annotated[int, within(1, MAX_HEADS, "Heads side by side.")] = 8,
    num_kv_heads: Annotated[int | None, within(1, MAX_HEADS, "Left out: as many as heads.")] = None,
    d_k: Annotated[int | None, HEAD_WIDTH] = None,
    d_v: Annotated[int | None, HEAD_WIDTH] = None,
    hidden: Annotated[int, within(0, MAX_HIDDEN, "Width inside an MLP; 0: there is none.")] = 0,
    causal: Annotated[
        bool, Query(description="Only pairs with j ≤ i are computed; false: all of them.")
    ] = False,
    window: Annotated[int | None, pattern("pairs with |i − j| < window.")] = None,
    global_tokens: Annotated[int, pattern("pairs with i or j below this.", 0)] = 0,
    stride: Annotated[int | None, pattern("|i − j| is a multiple of the stride.")] = None,
    block_size: Annotated[int | None, pattern("i and j in one block.")] = None,
    near: Annotated[int, within(1, MAX_TOKENS, "Keys that restricted self-attention sees.")] = 64,
    kernel: Annotated[int, within(2, MAX_KERNEL, "Places that a convolution sees.")] = 3,
    dtype: Annotated[
        Dtype, Query(description="Type of the numbers whose bytes count.")
    ] = "float32",
) -> Response:
    """Operations and bytes of each stage of a layer, by formulas: separate and fused projections;
    decoding with and without cache; linear attention; recurrent and convolutional layers
    (Vaswani et al. 2017, table 1). A pair is open if one pattern opens it."""
    shape = _shape(d_model, num_heads, num_kv_heads, (d_k, d_v))
    mask = Mask(
        causal, window=window, global_tokens=global_tokens, stride=stride, block_size=block_size
    )
    layers = [
        replace(each, order=exact(each.order), multiplications=exact(each.multiplications))
        for each in costs.layer_kinds(n, d_model, near, kernel)
    ]
    pairs = open_cells(mask, n)
    return json_reply(request, _layer_costs(shape, n, pairs, hidden, ITEM[dtype], layers))


def _layer_costs(
    shape: Shape, n: int, pairs: int, hidden: int, item: int, layers: list[LayerKind]
) -> LayerCostsReply:
    work = Work.whole(n, pairs)
    found = costs.stages(shape, work, hidden)

    def all_of(some: Iterable[Cost]) -> CostReply:
        return cost_reply(costs.total(some), item)

    of_q_k_v = [found[name] for name in ("q", "k", "v")]
    made = {name: costs.stages(shape, work, hidden) for name, work in _generated(n).items()}
    return LayerCostsReply(
        n=n,
        **vars(shape),
        pairs=pairs,
        crossing=costs.break_even_length(shape),
        stages=[
            StageCostReply(stage, **vars(cost_reply(cost, item))) for stage, cost in found.items()
        ],
        total=all_of(found.values()),
        projections=ProjectionsReply(all_of(of_q_k_v), cost_reply(costs.fused(shape, work), item)),
        generation=GenerationReply(
            **{name: all_of(each.values()) for name, each in made.items()},
            cache_bytes=exact(costs.cache_numbers(shape, n) * item),
        ),
        linear=all_of(costs.linear(shape, Work.whole(n)).values()),
        layers=layers,
        lengths=[_at(each, shape, hidden) for each in sorted({n, *LENGTHS})],
    )


def _shape(
    d_model: int, heads: int, kv_heads: int | None, widths: tuple[int | None, int | None]
) -> Shape:
    kv_heads = heads if kv_heads is None else kv_heads
    if heads % kv_heads:
        shared = {"num_heads": heads, "num_kv_heads": kv_heads}
        raise ShapeMismatch("kv_heads_do_not_divide", at="num_kv_heads", **shared)
    if None in widths and d_model % heads:
        raise ShapeMismatch("heads_do_not_divide", at="num_heads", num_heads=heads, d_model=d_model)
    d_k, d_v = (d_model // heads if width is None else width for width in widths)
    return Shape(heads, kv_heads, d_model, d_k, d_v)


def _generated(n: int) -> dict[str, Work]:
    return {"without_cache": costs.without_cache(n), "with_cache": costs.with_cache(n)}


def _at(n: int, shape: Shape, hidden: int) -> AtLengthReply:
    whole = costs.stages(shape, Work.whole(n))
    counted = {
        "projections": [whole[name] for name in PROJECTIONS],
        "maps": [whole[name] for name in MAPS],
        "linear": costs.linear(shape, Work.whole(n)).values(),
        **{
            name: costs.stages(shape, work, hidden).values() for name, work in _generated(n).items()
        },
    }
    return AtLengthReply(
        n, **{name: exact(costs.total(some).multiplications) for name, some in counted.items()}
    )


def cost_reply(cost: Cost, item: int) -> CostReply:
    """`item`: bytes of a number."""
    counts = cost.multiplications, cost.additions, cost.exponentials
    return CostReply(*map(exact, (*counts, cost.read * item, cost.written * item)))


def exact(count: Count) -> Count:
    return count if count <= EXACT else float(count)
