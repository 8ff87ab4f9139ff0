from __future__ import annotations

from collections.abc import Sequence
from dataclasses import make_dataclass

from fastapi import APIRouter, Request, Response

from attnscope.analysis.heads import METRICS, HeadMetrics, Metric, head_metrics
from attnscope.analysis.merged_words import Merging, groups_of, merge_words, named_words, words_at
from attnscope.analysis.schema import described, doc, optional_field
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import bytes_of_rows
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Merge,
    TraceId,
    check_place,
    recall_weights,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.pictures import picture_cache_of

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@described
class Head:
    """Metrics of one head; means over the queries that attend to something."""

    layer: int = doc("Layer, from 0.")
    head: int = doc("Head, from 0.")


def metrics_reply(name: str, metrics: Sequence[Metric], base: type) -> type:
    fields = [(metric.name, float | None, doc(description_of(metric))) for metric in metrics]
    about = {"__doc__": base.__doc__}
    return make_dataclass(name, fields, bases=(base,), namespace=about, frozen=True)


def description_of(metric: Metric) -> str:
    undefined = "Null with a context and where numbers overflow."
    if not metric.same_text:
        undefined = "Null where numbers overflow."
    return f"{metric.about} {undefined}"


HeadReply = metrics_reply("HeadReply", METRICS, Head)


@described
class HeadsReply:
    """Every head of every layer, for one text."""

    trace: str = doc("Content hash of the question.")
    batch: int = doc("Text of the batch, from 0.")
    heads: list[HeadReply] = doc("Layer by layer, head by head.")  # type: ignore[valid-type]
    words: list[list[int]] | None = optional_field(
        "With tokens=words, positions of the tokens of each word."
    )
    context_words: list[list[int]] | None = optional_field(
        "Words of the context, where there is one."
    )


@router.get(
    "/traces/{id}/heads", summary="How every head behaves", responses={200: {"model": HeadsReply}}
)
async def heads(request: Request, id: TraceId, batch: Batch = 0, merging: Merge = None) -> Response:
    """Metrics of every head: means over the queries that attend to something. With tokens=words,
    between words; distances count words."""
    planned = await recall_weights(request, id, "weights", merging)
    check_place(planned, batch=batch)
    picture_cache, layers = picture_cache_of(request), range(planned.model.num_layers)

    def measure(trace: Trace) -> dict[str, object]:
        if merging is None:
            heads = [picture_cache.layer_metrics(trace, i, batch) for i in layers]
            return {"trace": id, "batch": batch, "heads": _rows(heads)}
        heads = [_metrics_of_words(trace, i, batch, merging) for i in layers]
        return {"trace": id, "batch": batch, "heads": _rows(heads), **_words(planned, batch)}

    return await reply_from_trace(request, planned, measure, extra=bytes_of_rows(planned))


def _words(planned: Plan, batch: int) -> dict[str, object]:
    both = {"words": planned.words, "context_words": planned.context}
    return {
        name: groups_of(planned.question, words, batch)
        for name, words in both.items()
        if words is not None
    }


def _metrics_of_words(trace: Trace, layer: int, batch: int, merging: Merging) -> list[HeadMetrics]:
    places = words_at(trace.plan, layer, batch)
    weights = merge_words(trace.layers[layer]["weights"][batch], places, merging)
    names = named_words(trace.plan.words_of(layer), batch, places.queries)
    return head_metrics(weights, names, same_text=not trace.plan.attends_to_context(layer))


def _rows(layers: Sequence[Sequence[HeadMetrics]]) -> list[dict[str, object]]:
    return [
        {"layer": i, "head": j, **metrics}
        for i, layer in enumerate(layers)
        for j, metrics in enumerate(layer)
    ]
