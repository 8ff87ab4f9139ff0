from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis import costs
from attnscope.analysis.costs import MAPS, PROJECTIONS, Cost, Work
from attnscope.analysis.open_cells import open_cells
from attnscope.attention.dtypes import Dtype
from attnscope.attention.masks import Mask
from attnscope.attention.parameters import Shape
from attnscope.errors import ShapeMismatch
from attnscope.trace.question import MAX_SEED, MAX_WIDTH
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json
from attnscope.weights.layouts.shapes import MAX_HEADS

router = APIRouter(tags=["laboratory"], route_class=JsonRoute)

MAX_TOKENS = 1 << 17
MAX_HIDDEN, MAX_KERNEL = 4 * MAX_WIDTH, 64
LENGTHS = [2**power for power in range(MAX_TOKENS.bit_length())]
EXACT = MAX_SEED  # above, JSON readers round
ITEM = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
Count = int | float

Tokens = Annotated[int, Query(ge=1, le=MAX_TOKENS, description="Tokens of the text.")]
Width = Annotated[int, Query(ge=1, le=MAX_WIDTH, description="d_model, width of x.")]
Heads = Annotated[int, Query(ge=1, le=MAX_HEADS, description="Heads side by side.")]
KvHeads = Annotated[
    int | None, Query(ge=1, le=MAX_HEADS, description="Left out: as many as heads.")
]
HeadWidth = Annotated[
    int | None, Query(ge=1, le=MAX_WIDTH, description="Left out: d_model / num_heads.")
]
Hidden = Annotated[
    int, Query(ge=0, le=MAX_HIDDEN, description="Width inside an MLP; 0: there is none.")
]
Causal = Annotated[
    bool, Query(description="Only pairs with j ≤ i are computed; false: all of them.")
]
Window = Annotated[
    int | None, Query(ge=1, le=MAX_TOKENS, description="A pattern: pairs with |i − j| < window.")
]
GlobalTokens = Annotated[
    int, Query(ge=0, le=MAX_TOKENS, description="A pattern: pairs with i < g or j < g.")
]
Stride = Annotated[
    int | None,
    Query(ge=1, le=MAX_TOKENS, description="A pattern: |i − j| is a multiple of the stride."),
]
BlockSize = Annotated[
    int | None, Query(ge=1, le=MAX_TOKENS, description="A pattern: i and j in one block.")
]
Near = Annotated[
    int, Query(ge=1, le=MAX_TOKENS, description="Keys that restricted self-attention sees.")
]
Kernel = Annotated[int, Query(ge=2, le=MAX_KERNEL, description="Places that a convolution sees.")]
Numbers = Annotated[Dtype, Query(description="Of which bytes are counted.")]


class CostReply(BaseModel):
    """Operations and bytes; counts above 2⁵³ are rounded to floats."""

    multiplications: Count = Field(description="Divisions among them.")
    additions: Count = Field(description="Subtractions among them.")
    exponentials: Count = Field(description="Of the softmax, or of elu.")
    read_bytes: Count = Field(description="Inputs and matrices, once a pass.")
    written_bytes: Count = Field(description="What is made.")


class StageCostReply(CostReply):
    """Cost of one stage."""

    stage: str = Field(description="As in the table of stages.")


class ProjectionsReply(BaseModel):
    """q, k and v as three products, and as one with concatenated matrices."""

    three: CostReply = Field(description="x is read three times.")
    fused: CostReply = Field(description="x is read once; the operations are the same.")


class GenerationReply(BaseModel):
    """Token by token, under a causal mask."""

    without_cache: CostReply = Field(description="All earlier tokens computed anew for each.")
    with_cache: CostReply = Field(description="Keys and values kept.")
    cache_bytes: Count = Field(description="Keys and values of the whole text, in one layer.")


class LayerKindReply(BaseModel):
    """A kind of layer (Vaswani et al. 2017, table 1)."""

    name: str = Field(
        description="self_attention, recurrent, convolutional or restricted (self-attention)."
    )
    order: Count = Field(description="n² d, n d², k n d² or r n d, as published, evaluated.")
    sequential: int = Field(description="Operations that must follow each other.")
    path: int = Field(description="Longest path between two places, in layers.")
    multiplications: Count = Field(description="Counted, projections included.")


class AtLengthReply(BaseModel):
    """Multiplications at one length."""

    n: int = Field(description="Tokens.")
    projections: Count = Field(description="Of q, k, v and output.")
    maps: Count = Field(description="From the scores to the head outputs.")
    linear: Count = Field(description="Linear attention in place of the maps.")
    without_cache: Count = Field(description="All stages, token by token, computed anew.")
    with_cache: Count = Field(description="All stages, token by token, keys and values kept.")


class LayerCostsReply(BaseModel):
    """Costs of one layer for one text."""

    n: int = Field(description="Tokens.")
    d_model: int = Field(description="Width of x.")
    num_heads: int = Field(description="Heads.")
    num_kv_heads: int = Field(description="Key/value heads.")
    d_k: int = Field(description="Width of q and k in a head.")
    d_v: int = Field(description="Width of v in a head.")
    pairs: int = Field(description="Of a query and a key, in the map of one head.")
    crossing: float = Field(
        description="The n from which n² pairs multiply more than the projections do."
    )
    stages: list[StageCostReply] = Field(description="In the order of computation.")
    total: CostReply = Field(description="Of all stages.")
    projections: ProjectionsReply = Field(description="Three products or one.")
    generation: GenerationReply = Field(description="With and without a cache.")
    linear: CostReply = Field(description="Linear attention in place of scores … head outputs.")
    layers: list[LayerKindReply] = Field(description="Other kinds of layers, d_model wide.")
    lengths: list[AtLengthReply] = Field(
        description="n = 1, 2, 4 … 131,072 and the n that is asked, every pair computed."
    )


@router.get(
    "/laboratory/costs",
    summary="What attention costs",
    responses={200: {"model": LayerCostsReply}},
)
async def layer_costs(
    request: Request,
    n: Tokens = 1024,
    d_model: Width = 512,
    num_heads: Heads = 8,
    num_kv_heads: KvHeads = None,
    d_k: HeadWidth = None,
    d_v: HeadWidth = None,
    hidden: Hidden = 0,
    causal: Causal = False,
    window: Window = None,
    global_tokens: GlobalTokens = 0,
    stride: Stride = None,
    block_size: BlockSize = None,
    near: Near = 64,
    kernel: Kernel = 3,
    dtype: Numbers = "float32",
) -> Response:
    """Operations and bytes of each stage of a layer, by formulas: separate and fused projections;
    decoding with and without cache; linear attention; recurrent and convolutional layers
    (Vaswani et al. 2017, table 1). One pattern suffices to open a pair."""
    shape = _shape(d_model, num_heads, num_kv_heads, (d_k, d_v))
    mask = Mask(
        causal, window=window, global_tokens=global_tokens, stride=stride, block_size=block_size
    )
    work = Work.whole(n, open_cells(mask, n))
    found, item = costs.stages(shape, work, hidden), ITEM[dtype]
    made = {name: costs.stages(shape, work, hidden) for name, work in _generated(n).items()}
    three = costs.total(found[name] for name in ("q", "k", "v"))
    data: dict[str, Any] = {
        "n": n, **vars(shape), "pairs": work.pairs, "crossing": costs.crossing(shape),
        "stages": [{"stage": name, **cost_reply(cost, item)} for name, cost in found.items()],
        "total": cost_reply(costs.total(found.values()), item),
        "projections": {
            "three": cost_reply(three, item), "fused": cost_reply(costs.fused(shape, work), item)
        },
        "generation": {
            **{name: cost_reply(costs.total(each.values()), item) for name, each in made.items()},
            "cache_bytes": exact(costs.cache_numbers(shape, n) * item),
        },
        "linear": cost_reply(costs.total(costs.linear(shape, Work.whole(n)).values()), item),
        "layers": [
            {name: exact(one) if isinstance(one, int) else one for name, one in vars(each).items()}
            for each in costs.layers(n, d_model, near, kernel)
        ],
        "lengths": [_at(each, shape, hidden) for each in sorted({n, *LENGTHS})],
    }  # fmt: skip
    return reply(request, to_json(data), JSON)


def _shape(
    d_model: int, heads: int, kv_heads: int | None, widths: tuple[int | None, int | None]
) -> Shape:
    """Raises ShapeMismatch."""
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


def _at(n: int, shape: Shape, hidden: int) -> dict[str, Count]:
    whole = costs.stages(shape, Work.whole(n))
    counted = {
        "projections": sum(whole[name].multiplications for name in PROJECTIONS),
        "maps": sum(whole[name].multiplications for name in MAPS),
        "linear": costs.total(costs.linear(shape, Work.whole(n)).values()).multiplications,
        **{
            name: costs.total(costs.stages(shape, work, hidden).values()).multiplications
            for name, work in _generated(n).items()
        },
    }
    return {"n": n, **{name: exact(count) for name, count in counted.items()}}


def cost_reply(cost: Cost, item: int) -> dict[str, Count]:
    return {
        "multiplications": exact(cost.multiplications), "additions": exact(cost.additions),
        "exponentials": exact(cost.exponentials), "read_bytes": exact(cost.read * item),
        "written_bytes": exact(cost.written * item),
    }  # fmt: skip


def exact(count: int) -> Count:
    return count if count <= EXACT else float(count)
