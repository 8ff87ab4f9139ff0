from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from attnscope.analysis.continuation import Sampling, check_room, continue_text, continued
from attnscope.analysis.predictions import check_predicts
from attnscope.analysis.schema import described, doc
from attnscope.trace.question import Question, Seed, Value
from attnscope.trace.reading_cost import Cost
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import TraceId, recall
from attnscope.web.api_v1.answers import json_reply, plan_question, remember, run_on_trace
from attnscope.web.api_v1.predictions import logits_bytes
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["predictions"], route_class=JsonRoute)

MOST_TOKENS = 1024


class ContinuationRequest(Value):
    """How to continue the text."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tokens": 8, "temperature": 0}]})

    tokens: int = Field(20, ge=1, le=MOST_TOKENS, description="How many pieces.")
    temperature: float = Field(
        0, ge=0, le=100, description="0: always the likeliest; 1: with the model's probabilities."
    )
    seed: Seed = Field(0, description="Seed of the draws.")
    top_k: int | None = Field(
        None, ge=1, le=2**31, description="Draw among this many likeliest pieces; null: among all."
    )


@described
class ContinuationReply:
    """The generated text."""

    trace: str = doc("The trace of the whole text, the new pieces at its end.")
    text: str = doc("What was written, as text.")
    pieces: list[str] = doc("The same, piece by piece.")
    log_probabilities: list[float] = doc("ln p of each when it was chosen.")


@router.post(
    "/traces/{id}/continuations", summary="Let the text go on", response_model=ContinuationReply
)
async def continuations(request: Request, id: TraceId, body: ContinuationRequest) -> Response:
    """Continue the first text of a batch with the likeliest tokens, or with sampled ones."""
    planned = await recall(request, id)
    check_predicts(planned)
    check_room(planned, body.tokens)
    sampling = Sampling(body.temperature, body.seed, body.top_k)

    def work(trace: Trace) -> tuple[Question, str, list[str], list[float]]:
        ids, logs = continue_text(trace, body.tokens, sampling)
        pieces = planned.model.pieces
        assert pieces is not None
        return continued(planned, ids), pieces.text(ids), [pieces.names[i] for i in ids], logs

    extra = planned.bytes + logits_bytes(planned, body.tokens)
    question, text, pieces, logs = await run_on_trace(
        request, planned, work, cost=Cost(extra), slow=True
    )
    whole = await plan_question(request, question, long=False)
    await remember(request, whole)
    return json_reply(request, ContinuationReply(whole.id, text, pieces, logs))
