from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.heads import measure_rows, naming
from attnscope.analysis.probe import copying_share, probe_question, round_length
from attnscope.analysis.schema import described, doc
from attnscope.trace.question import MAX_SEED
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import TraceId, check_dense, recall
from attnscope.web.api_v1.answers import plan_question, reply_from_trace
from attnscope.web.api_v1.heads import metrics_reply
from attnscope.web.api_v1.predictions import logits_bytes
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Seed = Annotated[int, Query(ge=0, le=MAX_SEED, description="Seed of the random tokens.")]
Length = Annotated[
    int | None,
    Query(ge=1, le=1024, description="Random tokens in one round; left out, 32 or what fits."),
]
Repeats = Annotated[int, Query(ge=2, le=16, description="How many times the round occurs.")]


@described
class ProbedHead:
    """One head on random tokens: the metrics that name heads."""


ProbeHeadReply = metrics_reply("ProbeHeadReply", naming(), ProbedHead)


@described
class ProbeReply:
    """Every head on repeated random tokens."""

    seed: int = doc("As asked.")
    length: int = doc("In tokens.")
    repeats: int = doc("As asked.")
    heads: list[list[ProbeHeadReply]] = doc("[layer][head].")  # type: ignore[valid-type]
    copied: float | None = doc(
        "Share of the tokens after the first round that the model finds likeliest; null if the "
        "model predicts nothing or numbers overflow."
    )


@router.get(
    "/traces/{id}/probe",
    summary="What the heads do on random tokens that repeat",
    response_model=ProbeReply,
)
async def probe(
    request: Request, id: TraceId, seed: Seed = 0, length: Length = None, repeats: Repeats = 2
) -> Response:
    """Metrics that name heads, for every head, on repeated random tokens."""
    planned = await recall(request, id, long=True)
    length = round_length(planned, length, repeats)
    question = probe_question(planned, seed, length, repeats)
    probed = await plan_question(request, question, long=length * repeats > 1024)
    check_dense(request, probed)

    def write(trace: Trace) -> ProbeReply:
        names = [metric.name for metric in naming()]
        heads = [
            [
                {name: one[name] for name in names}
                for rows in trace.rows(layer)
                for one in measure_rows(rows)
            ]
            for layer in range(len(trace.layers))
        ]
        return ProbeReply(seed, length, repeats, heads, copying_share(trace, length))

    extra = probed.dense_bytes // probed.model.num_layers + logits_bytes(probed, probed.n)
    return await reply_from_trace(request, probed, write, extra=extra, slow=True)
